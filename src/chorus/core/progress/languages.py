"""How several languages say "step 2 of 5" and "test 5 of 20 runs now"."""

import re

from msgspec import Struct

from chorus.core.progress.numbers import OF_OTHERS

_N = r"(\d{1,9})"


class Language(Struct, frozen=True):
    """The patterns of one language. They are applied to one sentence."""

    stated: re.Pattern[str]
    """A word for a step of a plan, and its number: this is progress without more words. Groups: completed, total."""
    counted: re.Pattern[str]
    """A word for something that is worked on, and its number: progress if the sentence says that it happens now."""
    cue: re.Pattern[str]
    """Words that say that something happens now."""
    done: re.Pattern[str]
    """Patterns that say how many of a total are finished."""
    doubt: re.Pattern[str]
    """Words before the number that make it a condition, a quote or something past."""


_NOW = frozenset((
    "gerade", "jetzt", "nun", "aktuell", "derzeit", "weiter", "als nächstes", "maintenant", "actuellement", "en cours",
    "prochain", "ensuite", "ahora", "actualmente", "agora", "atualmente", "adesso", "ora", "attualmente", "nu",
    "momenteel", "teraz", "obecnie", "następny", "сейчас", "теперь", "далее", "следующий", "just nu", "nästa",
))  # fmt: skip
"""Words of time: "now 3 of 5 users" says nothing about work."""


def _verbs(cue: str) -> str:
    """Returns the words for work among those that say that something happens now."""
    return "|".join(each for each in cue.split("|") if each not in _NOW)


def _language(of: str, article: str, steps: str, things: str, cue: str, done: str, doubt: str) -> Language:
    """Builds the patterns. `of` is the word between the two numbers, `article` what may come after it."""
    between = rf"\s{{0,2}}(?:/|\(?(?:{of}))\s{{0,2}}"
    rest = rf"(?:(?:{article})\s)?" if article else ""
    flags = re.IGNORECASE
    return Language(
        re.compile(rf"\b(?:{steps})\s(?:n[.º°]\s?|nr\.?\s|#)?{_N}{between}{rest}{_N}\b", flags),
        re.compile(
            rf"\b(?:{things})\s(?:n[.º°]\s?|nr\.?\s|#)?{_N}{between}{rest}{_N}\b|"
            rf"\b(?:{_verbs(cue)})\s(?:(?:de|des|di|van|von|av)\s)?{_N}{between}{rest}{_N}\s(?=\w)",
            flags,
        ),
        re.compile(rf"\b(?:{cue})", flags),
        re.compile(
            rf"\b{_N}(?:\s\w{{2,20}})?{between}{rest}{_N}\s(?:\w{{2,30}}\s){{0,3}}?(?:{done})|"
            rf"^(?:{done})\b:?\s{_N}{between}{rest}{_N}\b|"
            rf"\b(?:{done})\b\s{_N}\s\w{{2,20}}{between}{rest}{_N}\b",
            flags,
        ),
        re.compile(rf"\b(?:{doubt})\b", flags),
    )


_EAST_N = r"([0-9０-９]{1,9})"
_NEVER = re.compile(r"(?!)")


def _eastern(stated: str, counted: str, cue: str, done: str, doubt: str) -> Language:
    """Builds the patterns of a language that writes no spaces between words."""
    flags = re.IGNORECASE
    return Language(*(re.compile(each, flags) if each else _NEVER for each in (stated, counted, cue, done, doubt)))


_IBERIAN_DOUBT = (
    "ayer|ontem|podría|poderia|debería|deveria|sería|seria|muestra|mostra|ejemplo|exemplo|falló|fallaron|falhou|"
    "falharam"
)
"""Spanish and Portuguese share so many words that each reads sentences of the other."""
LANGUAGES: dict[str, Language] = {
    "de": _language(
        *OF_OTHERS["de"],
        "schritt|phase|etappe|aufgabe|teilaufgabe|stufe|teil|durchgang|meilenstein|abschnitt",
        "test|testfall|testdatei|datei|modul|paket|komponente|migration|bild|seite|datensatz|eintrag|endpunkt|fehler|"
        "commit|dienst|block|zeile|route",
        "gerade|jetzt|nun|aktuell|derzeit|weiter|als nächstes|führe|führt|bearbeite|verarbeite|prüfe|starte|teste|"
        "läuft|laufe|konvertiere|übersetze|aktualisiere|migriere|lade|schreibe|repariere|behebe|mache|ausführ",
        "fertig|erledigt|abgeschlossen|geschafft|konvertiert|übersetzt|migriert|verarbeitet|bearbeitet|umgestellt|"
        "aktualisiert|geprüft|angepasst",
        "wenn|falls|sobald|würde|könnte|sollte|sollen|soll|gestern|laut|letzte[nrs]?|vorher|früher|damals|vorigen|"
        "meldete?|schrieb|sagt|zeigt|protokoll|beispiel|fehlgeschlagen|scheiterte|brach|stürzte|wäre",
    ),
    "fr": _language(
        *OF_OTHERS["fr"],
        "étape|etape|phase|tâche|partie|lot|jalon|passe",
        "test|fichier|module|paquet|composant|migration|image|page|enregistrement|élément|erreur|commit|service|route",
        "maintenant|actuellement|en cours|exécution|execution|je traite|je passe|je lance|traitement|conversion|"
        "j'exécute|je corrige|je convertis|j'analyse|analyse|migration|vérification|je vérifie|prochain|ensuite|"
        "lancement|mise à jour|compilation|téléchargement",
        "terminé|fini|fait|traité|converti|migré|corrigé|traduit|achevé",
        "si|quand|lorsque|hier|selon|dernière?|précédente?|pourrait|devrait|serait|indique|dit|affiche|journal|"
        "exemple|échou\\w{1,3}|planté",
    ),
    "es": _language(
        *OF_OTHERS["es"],
        "paso|etapa|fase|tarea|parte|lote|hito",
        "prueba|test|archivo|fichero|módulo|paquete|componente|migración|imagen|página|registro|elemento|error|"
        "commit|servicio|ruta",
        "ahora|actualmente|ejecutando|procesando|convirtiendo|migrando|corrigiendo|revisando|analizando|traduciendo|"
        "probando|subiendo|descargando|compilando|actualizando|siguiente|continúo|sigo|paso a|voy por|ejecuto|"
        "proceso|corrijo|reviso|traduzco|actualizo",
        "listos?|listas?|hech[oa]s?|terminad[oa]s?|completad[oa]s?|procesad[oa]s?|convertid[oa]s?|migrad[oa]s?|"
        "corregid[oa]s?|traducid[oa]s?",
        f"si|cuando|según|últim[oa]|anterior|dice|registro dice|{_IBERIAN_DOUBT}",
    ),
    "pt": _language(
        *OF_OTHERS["pt"],
        "passo|etapa|fase|tarefa|parte|lote|marco",
        "teste|arquivo|ficheiro|módulo|pacote|componente|migração|imagem|página|registro|item|erro|commit|serviço|rota",
        "agora|atualmente|executando|processando|convertendo|migrando|corrigindo|revisando|analisando|traduzindo|"
        "testando|enviando|baixando|compilando|atualizando|próximo|continuo|a executar|a processar|executo|"
        "processo|corrijo|reviso|traduzo|atualizo",
        "pront[oa]s?|feit[oa]s?|concluíd[oa]s?|terminad[oa]s?|processad[oa]s?|convertid[oa]s?|migrad[oa]s?|"
        "corrigid[oa]s?|traduzid[oa]s?",
        f"se|quando|segundo|últim[oa]|anterior|diz|{_IBERIAN_DOUBT}",
    ),
    "it": _language(
        *OF_OTHERS["it"],
        "passo|passaggio|fase|attività|tappa|parte|lotto",
        "test|file|modulo|pacchetto|componente|migrazione|immagine|pagina|record|elemento|errore|commit|servizio|rotta",
        "ora|adesso|attualmente|eseguendo|esecuzione|elaborando|elaborazione|convertendo|migrando|correggendo|"
        "verificando|analizzando|traducendo|testando|caricando|scaricando|compilando|aggiornando|prossimo|passo a|"
        "eseguo|elaboro|converto|correggo|"
        "verifico|analizzo|traduco|aggiorno",
        "pront[oaie]|fatt[oaie]|completat[oaie]|terminat[oaie]|elaborat[oaie]|convertit[oaie]|migrat[oaie]|"
        "corrett[oaie]|tradott[oaie]",
        "se|quando|ieri|secondo|ultim[oa]|precedente|potrebbe|dovrebbe|sarebbe|dice|mostra|esempio|fallito",
    ),
    "nl": _language(
        *OF_OTHERS["nl"],
        "stap|fase|taak|deel|ronde|mijlpaal",
        "test|bestand|module|pakket|component|migratie|afbeelding|pagina|record|item|fout|commit|dienst|route",
        "nu|momenteel|bezig|voer|verwerk|uitvoeren|controleer|converteer|migreer|vertaal|herstel|verder|volgende",
        "klaar|gedaan|afgerond|voltooid|verwerkt|geconverteerd|gemigreerd|vertaald|hersteld",
        "als|wanneer|zodra|gisteren|volgens|vorige|laatste|zou|moet|kan|zegt|toont|voorbeeld|mislukt",
    ),
    "pl": _language(
        *OF_OTHERS["pl"],
        "krok|etap|faza|zadanie|część",
        "test|testu|plik|pliku|moduł|pakiet|komponent|migracja|obraz|strona|rekord|element|błąd|commit|usługa",
        "teraz|obecnie|uruchamiam|przetwarzam|sprawdzam|konwertuję|poprawiam|tłumaczę|migruję|aktualizuję|następny|"
        "wykonuję|wykonywanie|trwa",
        "gotow[eyach]{1,2}|zrobion[eoych]{1,2}|ukończon[eoych]{1,2}|zakończon[eoych]{1,2}|przetworzon[eoych]{1,2}",
        "jeśli|gdyby|kiedy|wczoraj|według|ostatni[oae]?|poprzedni[oae]?|mógłby|powinien|mówi|pokazuje|przykład",
    ),
    "ru": _language(
        *OF_OTHERS["ru"],
        "шаг|этап|фаза|задача|часть|стадия|итерация",
        "тест|теста|файл|файла|модуль|модуля|пакет|компонент|миграция|изображение|страница|запись|элемент|ошибка|"
        "коммит|сервис|маршрут",
        "сейчас|теперь|выполняется|выполняю|запускаю|запуск|обрабатываю|обработка|обрабатывается|проверяю|"
        "конвертирую|перевожу|исправляю|мигрирую|обновляю|далее|следующий|перехожу|идёт|идет",
        "готов[ыо]?|сделан[ыо]|завершен[ыо]|завершён[ыо]?|обработан[ыо]|переведен[ыо]|исправлен[ыо]|выполнен[ыо]",
        "если|когда|вчера|согласно|последн\\w{1,4}|предыдущ\\w{1,4}|мог|должен|бы|говорит|показывает|пример|упал",
    ),
    "sv": _language(
        *OF_OTHERS["sv"],
        "steg|fas|uppgift|del|etapp",
        "test|fil|modul|paket|komponent|migrering|bild|sida|post|fel|commit|tjänst",
        "nu|just nu|kör|bearbetar|kontrollerar|konverterar|migrerar|översätter|åtgärdar|nästa|fortsätter",
        "klar[at]?|färdig[at]?|gjord[at]?|konverterad[e]?|migrerad[e]?|översatt[a]?",
        "om|när|igår|enligt|förra|senaste|skulle|borde|säger|visar|exempel|misslyckades",
    ),
    "zh": _eastern(
        rf"第\s?{_EAST_N}\s?(?:步|阶段|階段|部分|轮|輪|批)(?:任务)?[\s,，（(/]{{0,3}}(?:共|/|总共|總共|一共)\s?"
        rf"(?:第\s?)?{_EAST_N}\s?(?:步|阶段|階段|部分|轮|輪|批|个|個)?|(?:步骤|步驟|阶段|階段|任务|任務)\s?{_EAST_N}\s?/\s?{_EAST_N}",
        rf"第\s?{_EAST_N}\s?[个個项項件张張条條页頁]\s?[^\s\d，,。]{{0,12}}[\s,，（(]{{0,3}}(?:共|总共|總共|一共)\s?"
        rf"{_EAST_N}\s?[个個项項件张張条條页頁]?|{_EAST_N}\s?/\s?{_EAST_N}",
        "正在|现在|現在|目前|接下来|接下來|开始|開始|继续|繼續|处理中|進行中|进行中",
        rf"(?:已完成|完成了|已处理|已處理|已转换|处理了)\s?{_EAST_N}\s?/\s?{_EAST_N}",
        "如果|昨天|上次|根据|根據|之前|日志|例如|应该|應該|的用户|他们|她们|他們|失败|吗",
    ),
    "ja": _eastern(
        rf"(?:ステップ|フェーズ|段階|タスク|手順|工程)\s?{_EAST_N}\s?/\s?{_EAST_N}"
        rf"|全\s?{_EAST_N}\s?(?:ステップ|フェーズ|段階|工程)\s?[中のうち]{{1,3}}\s?(?:第\s?)?{_EAST_N}",
        rf"{_EAST_N}\s?[件個本枚つ](?:の[^\s\d]{{1,10}})?\s?(?:中|のうち)[、,\s]{{0,2}}{_EAST_N}\s?[件個本枚つ]?目"
        rf"|{_EAST_N}\s?/\s?{_EAST_N}",
        "実行中|処理中|実行し|処理し|進行中|現在|いま|今|次に|変換中|変換し|確認中|確認し|修正中|修正し|更新中|更新し|続け",
        rf"{_EAST_N}\s?[件個]中\s?{_EAST_N}\s?[件個]?(?:が|を)?(?:完了|終了)|{_EAST_N}\s?/\s?{_EAST_N}\s?[件個]?\s?(?:が)?(?:完了|終了)",
        "もし|昨日|前回|によると|ログ|例えば|場合|はず|失敗|ですか",
    ),
    "ko": _eastern(
        rf"{_EAST_N}\s?/\s?{_EAST_N}\s?단계|(?:단계|스텝)\s?{_EAST_N}\s?/\s?{_EAST_N}"
        rf"|{_EAST_N}\s?단계\s?중\s?{_EAST_N}\s?(?:단계|번째)",
        rf"{_EAST_N}\s?개\s?(?:[^\s\d]{{1,8}}\s)?중\s?{_EAST_N}\s?번째|{_EAST_N}\s?/\s?{_EAST_N}",
        "하는 중|실행 중|처리 중|진행 중|중입니다|지금|현재|다음|변환|확인하|수정하|계속|실행합니다|처리합니다|하고 있",
        rf"{_EAST_N}\s?개\s?중\s?{_EAST_N}\s?개(?:가|를|의)?\s?(?:[^\s\d,]{{1,8}}\s)?(?:완료|끝)|{_EAST_N}\s?/\s?{_EAST_N}\s?(?:개)?\s?(?:완료|끝)",
        "만약|어제|지난|따르면|로그|예를|경우|실패|까요",
    ),
}
"""Languages besides English, by their code."""
TOTAL_FIRST = re.compile(
    r"^(?:全\s?)?[0-9０-９]{1,9}\s?(?:[件個本枚つ개]|단계|ステップ|フェーズ|段階|工程)[^0-9０-９/]*(?:中|のうち|중)"
)
"""A statement that names the total first: "5 of 20" is "20 件中 5 件目"."""
PATTERNS = tuple(
    pattern for each in LANGUAGES.values() for pattern in (each.stated, each.counted, each.cue, each.done, each.doubt)
)
"""The patterns alone, where the check of all patterns finds them."""
