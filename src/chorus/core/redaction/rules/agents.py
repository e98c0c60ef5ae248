"""Keys of coding agents, and of what they use: models, sandboxes, searches, traces."""

from chorus.core.redaction.rule import Rule

_DOCUMENTED = "documentation of the service: format of its keys"

RULES = (
    Rule(
        "voyage-key",
        "Voyage AI API key",
        ("pa-",),
        r"(?:^|[^\w+/.-])(pa-[\w-]{43})(?:[^\w-]|$)",
        _DOCUMENTED,
        min_entropy=3.5,
    ),
    Rule("gemini-key", "Gemini API key", ("aq.ab",), r"\b(AQ\.Ab[\w-]{40,80})", _DOCUMENTED),
    Rule("anyscale-key", "Anyscale secret", ("esecret_",), r"\b(esecret_[a-z0-9]{24,40})\b", _DOCUMENTED),
    Rule("openai-client-secret", "OpenAI client secret", ("ek_",), r"\b(ek_[a-f0-9]{32})\b", _DOCUMENTED),
    Rule(
        "fal-key",
        "fal.ai key",
        ("fal",),
        r"\b([a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}:[a-f0-9]{32})\b",
        _DOCUMENTED,
    ),
    Rule(
        "luma-key",
        "Luma API key",
        ("luma-",),
        r"\b(luma(?:-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}){2})\b",
        _DOCUMENTED,
    ),
    Rule("runpod-key", "RunPod API key", ("rpa_",), r"\b(rpa_[A-Za-z0-9]{40,60})\b", _DOCUMENTED),
    Rule(
        "modal-token",
        "Modal token",
        ("ak-", "as-"),
        r"(?:^|[^\w+/.-])(a[ks]-[A-Za-z0-9]{22})\b",
        _DOCUMENTED,
        min_entropy=3.5,
    ),
    Rule(
        "arize-key",
        "Arize API key",
        ("ak-",),
        r"\b(ak-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}-[\w-]{32})",
        _DOCUMENTED,
    ),
    Rule("mem0-key", "Mem0 API key", ("m0-",), r"\b(m0-[A-Za-z0-9]{40})\b", _DOCUMENTED),
    Rule(
        "scrapfly-key",
        "Scrapfly API key",
        ("scp-live-", "scp-test-"),
        r"\b(scp-(?:live|test)-[a-f0-9]{32})\b",
        _DOCUMENTED,
    ),
    Rule(
        "amp-token", "Amp access token", ("sgamp_",), r"\b(sgamp_[a-z]{2,12}_[A-Z0-9]{26}_[a-f0-9]{64})\b", _DOCUMENTED
    ),
    Rule("factory-key", "Factory API key", ("fk-",), r"(?:^|[^\w+/.-])(fk-[\w-]{40,80})", _DOCUMENTED, min_entropy=3.5),
    Rule("cursor-key", "Cursor API key", ("crsr_",), r"\b(crsr_[a-f0-9]{64})\b", _DOCUMENTED),
    Rule("tinybird-token", "Tinybird token", ("p.eyj",), r"\b(p\.eyJ[\w-]{20,200}\.[\w-]{20,60})", _DOCUMENTED),
    Rule(
        "cockroach-key",
        "CockroachDB Cloud API key",
        ("ccdb1_",),
        r"\b(CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40})\b",
        _DOCUMENTED,
    ),
    Rule("neon-password", "Neon password", ("npg_",), r"\b(npg_[A-Za-z0-9]{10,24})\b", _DOCUMENTED, min_entropy=2.5),
    Rule("elastic-key", "Elastic API key", ("essu_",), r"\b(essu_[A-Za-z0-9+/]{40,120}={0,2})", _DOCUMENTED),
    Rule(
        "axiom-token",
        "Axiom token",
        ("xaat-", "xapt-"),
        r"\b(xa[ap]t-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})\b",
        _DOCUMENTED,
    ),
    Rule(
        "datadog-key",
        "Datadog key",
        ("ddapp_", "ddpat_", "ddsat_"),
        r"\b(dd(?:app|pat|sat)_[A-Za-z0-9_]{30,90})\b",
        _DOCUMENTED,
    ),
    Rule(
        "zhipu-key",
        "Zhipu API key",
        ("zhipu", "bigmodel", "z.ai", "glm"),
        r"\b([a-f0-9]{32}\.[A-Za-z0-9]{16})\b",
        _DOCUMENTED,
    ),
    Rule(
        "kaggle-token",
        "Kaggle API key",
        ("username",),
        r"[\"']username[\"']\s?:\s?[\"'][^\"'\n]{1,80}[\"'],\s{0,4}[\"']key[\"']\s?:\s?[\"']([a-f0-9]{32})[\"']",
        "Kaggle documentation: kaggle.json",
    ),
    Rule("influx-token", "InfluxDB token", ("influx",), r"(?:^|[^\w+/=-])([\w-]{86}==)", _DOCUMENTED),
)
