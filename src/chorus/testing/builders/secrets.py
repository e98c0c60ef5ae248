"""Makes up secrets of every kind that redaction knows. They are put together at run time: no file contains one.

The same seed gives the same secrets. None of them was ever valid.
"""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_ALNUM = _LOWER + _UPPER + _DIGITS
_HEX, _BASE32 = _DIGITS + "abcdef", _UPPER + "234567"
_URL, _BASE64 = _ALNUM + "_-", _ALNUM + "+/"
_BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


class Planted(NamedTuple):
    """A secret, and a line of text that contains it."""

    kind: str
    """The rule that has to find it."""
    secret: str
    line: str


class Secrets:
    """Makes secrets by kind."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - made-up secrets must be reproducible, not secret

    def all(self, each: int = 1) -> Iterator[Planted]:
        """Yields `each` secrets of every kind."""
        for kind, (make, line) in _KINDS.items():
            for _ in range(each):
                secret = make(self)
                yield Planted(kind, secret, line.replace("@@", secret))

    def some(self, letters: str, length: int) -> str:
        """Returns random letters, with a digit among them if there are any."""
        while True:
            text = "".join(self._chance.choices(letters, k=length))
            if length < 8 or not set(letters) & set(_DIGITS) or any(map(str.isdigit, text)):
                return text

    def uuid(self) -> str:
        return "-".join(self.some(_HEX, length) for length in (8, 4, 4, 4, 12))


def _of(prefix: str, letters: str, length: int, suffix: str = "") -> Callable[[Secrets], str]:
    return lambda make: prefix + make.some(letters, length) + suffix


def _dotted(*parts: tuple[str, str, int]) -> Callable[[Secrets], str]:
    return lambda make: ".".join(prefix + make.some(letters, length) for prefix, letters, length in parts)


def _private_key(make: Secrets) -> str:
    rows = "\n".join(make.some(_BASE64, 64) for _ in range(6))
    dashes = "-" * 5
    return f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{rows}\n{dashes}END RSA PRIVATE KEY{dashes}"


def _putty_key(make: Secrets) -> str:
    rows = "\n".join(make.some(_BASE64, 64) for _ in range(3))
    return f"PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\n{rows}\nPrivate-MAC: {make.some(_HEX, 64)}"


_EXPORT = "export TOKEN_HERE @@ # for the deploy"
_KINDS: dict[str, tuple[Callable[[Secrets], str], str]] = {
    "anthropic-key": (_of("sk-" + "ant-api03-", _URL, 93, "AA"), "ANTHROPIC_KEY is @@"),
    "openrouter-key": (_of("sk-" + "or-v1-", _HEX, 64), "curl -H 'x: @@'"),
    "langfuse-key": (lambda make: "sk-" + "lf-" + make.uuid(), "langfuse: @@"),
    "openai-key": (_of("sk-" + "proj-", _URL, 74), 'client = OpenAI("@@")'),
    "huggingface-token": (_of("hf" + "_", _LOWER + _UPPER, 34), "huggingface-cli login @@"),
    "replicate-token": (_of("r8" + "_", _ALNUM, 37), "replicate @@ run"),
    "groq-key": (_of("gs" + "k_", _ALNUM, 52), "groq @@"),
    "perplexity-key": (_of("pp" + "lx-", _ALNUM, 48), "pplx (@@)"),
    "xai-key": (_of("xa" + "i-", _ALNUM, 80), "grok @@"),
    "nvidia-key": (_of("nv" + "api-", _URL, 64), "nim @@ x"),
    "langsmith-key": (lambda make: f"ls{'v2'}_pt_{make.some(_HEX, 32)}_{make.some(_HEX, 10)}", "trace @@"),
    "pinecone-key": (_of("pc" + "sk_", _ALNUM, 69), "pinecone: @@"),
    "tavily-key": (_of("tv" + "ly-", _ALNUM, 32), "search @@"),
    "e2b-key": (_of("e2" + "b_", _HEX, 40), "sandbox @@"),
    "aws-access-key": (_of("AK" + "IA", _BASE32, 16), "aws configure set id @@"),
    "aws-secret-key": (_of("", _BASE64, 40), "AWS_SECRET_ACCESS_KEY=@@"),
    "aws-session-token": (_of("", _BASE64, 160), "aws_session_token = @@"),
    "aws-bedrock-key": (_of("AB" + "SK", _BASE64, 128), "bedrock @@"),
    "google-api-key": (_of("AI" + "za", _URL, 35), "https://maps/x?k=@@&v=3"),
    "google-oauth-secret": (_of("GO" + "CSPX-", _URL, 28), '{"client": "@@"}'),
    "google-oauth-token": (_of("ya" + "29.", _URL, 120), "gcloud @@"),
    "azure-storage-key": (_of("", _BASE64, 86, "=="), "DefaultEndpoints;AccountName=x;AccountKey=@@;End"),
    "azure-client-secret": (lambda make: f"{make.some(_ALNUM, 3)}8Q~{make.some(_ALNUM, 34)}", "az login -p @@ now"),
    "azure-sas": (_of("", _ALNUM, 43, "%3D"), "https://x.blob/y?sv=2024&sig=@@&se=1"),
    "digitalocean-token": (_of("do" + "p_v1_", _HEX, 64), "doctl @@"),
    "heroku-key": (_of("HR" + "KU-", _URL, 60), "heroku @@"),
    "cloudflare-origin-key": (
        lambda make: f"v1{'.0-'}{make.some(_HEX, 24)}-{make.some(_HEX, 146)}",
        "origin @@",
    ),
    "alibaba-key": (_of("LT" + "AI", _ALNUM, 20), "aliyun @@"),
    "tencent-key": (_of("AK" + "ID", _ALNUM, 32), "tccli @@"),
    "yandex-key": (_of("AQ" + "VN", _URL, 36), "yc @@"),
    "fly-token": (_of("fo" + "1_", _URL, 43), "fly auth @@"),
    "netlify-token": (_of("nf" + "p_", _ALNUM, 36), "netlify @@"),
    "render-key": (_of("rn" + "d_", _ALNUM, 32), "render @@"),
    "scaleway-key": (_of("SC" + "W", _UPPER + _DIGITS, 17), "scw @@"),
    "planetscale-token": (_of("ps" + "cale_tkn_", _URL, 43), "pscale @@"),
    "databricks-token": (_of("da" + "pi", _HEX, 32), "databricks @@"),
    "supabase-key": (_of("sb" + "p_", _HEX, 40), "supabase @@"),
    "vault-token": (_of("hv" + "s.", _URL, 95), "vault login @@"),
    "terraform-token": (_dotted(("", _ALNUM, 14), ("atlas" + "v1.", _URL, 66)), "terraform @@"),
    "pulumi-token": (_of("pu" + "l-", _HEX, 40), "pulumi @@"),
    "doppler-token": (_of("dp" + ".pt.", _ALNUM, 43), "doppler @@"),
    "tailscale-key": (
        lambda make: f"ts{'key'}-auth-{make.some(_ALNUM, 12)}-{make.some(_ALNUM, 32)}",
        "tailscale up @@",
    ),
    "github-fine-grained": (
        lambda make: f"github{'_pat_'}{make.some(_ALNUM, 22)}_{make.some(_ALNUM, 59)}",
        "gh auth @@",
    ),
    "github-token": (_of("gh" + "p_", _ALNUM, 36), _EXPORT),
    "gitlab-token": (_of("gl" + "pat-", _URL, 20), "glab @@"),
    "bitbucket-token": (_of("AT" + "BB", _ALNUM, 28), "bb @@"),
    "atlassian-token": (_of("AT" + "ATT3", _URL, 180, "=1A2B3C4D"), "jira @@"),
    "npm-token": (_of("np" + "m_", _ALNUM, 36), "npm @@"),
    "npm-auth": (_of("", _ALNUM, 40), "//registry/:_authToken=@@"),
    "pypi-token": (_of("py" + "pi-AgEIcHlwaS5vcmc", _URL, 140), "twine @@"),
    "rubygems-key": (_of("rubygems" + "_", _HEX, 48), "gem push @@"),
    "crates-token": (_of("ci" + "o", _ALNUM, 32), "cargo login @@"),
    "nuget-key": (_of("oy" + "2", _LOWER + _DIGITS, 43), "dotnet nuget @@"),
    "docker-token": (_of("dc" + "kr_pat_", _URL, 27), "docker @@"),
    "jfrog-key": (_of("AK" + "Cp", _ALNUM, 69), "jf @@"),
    "clojars-token": (_of("CLOJARS" + "_", _LOWER + _DIGITS, 60), "lein @@"),
    "sourcegraph-token": (_of("sg" + "p_", _HEX, 40), "src @@"),
    "buildkite-token": (_of("bk" + "ua_", _HEX, 40), "bk @@"),
    "circleci-token": (
        lambda make: f"CC{'IPAT_'}{make.some(_ALNUM, 22)}_{make.some(_HEX, 40)}",
        "circleci @@",
    ),
    "sonar-token": (_of("sq" + "u_", _HEX, 40), "sonar @@"),
    "linear-key": (_of("lin" + "_api_", _ALNUM, 40), "linear @@"),
    "postman-key": (lambda make: f"PM{'AK-'}{make.some(_HEX, 24)}-{make.some(_HEX, 34)}", "newman @@"),
    "figma-token": (_of("fi" + "gd_", _URL, 40), "figma @@"),
    "stripe-key": (_of("sk" + "_live_", _ALNUM, 24), "stripe @@ charge"),
    "webhook-secret": (_of("wh" + "sec_", _ALNUM, 32), "endpoint @@"),
    "square-token": (_of("sq0" + "atp-", _URL, 22), "square @@"),
    "shopify-token": (_of("sh" + "pat_", _HEX, 32), "shopify @@"),
    "braintree-token": (
        lambda make: f"access{'_token'}$production${make.some(_LOWER + _DIGITS, 16)}${make.some(_HEX, 32)}",
        "bt @@",
    ),
    "plaid-token": (lambda make: "access" + "-production-" + make.uuid(), "plaid @@"),
    "razorpay-key": (_of("rz" + "p_live_", _ALNUM, 14), "razorpay @@"),
    "flutterwave-key": (_of("FLW" + "SECK_TEST-", _LOWER + _DIGITS, 32), "flw @@"),
    "easypost-key": (_of("EZ" + "AK", _ALNUM, 54), "easypost @@"),
    "shippo-token": (_of("ship" + "po_live_", _HEX, 40), "shippo @@"),
    "duffel-token": (_of("duf" + "fel_live_", _URL, 43), "duffel @@"),
    "slack-token": (
        lambda make: f"xo{'xb-'}{make.some(_DIGITS, 12)}-{make.some(_DIGITS, 12)}-{make.some(_ALNUM, 24)}",
        "slack @@",
    ),
    "slack-webhook": (
        lambda make: (
            f"hooks.slack{'.com'}/services/T{make.some(_UPPER, 8)}/B{make.some(_UPPER, 8)}/{make.some(_ALNUM, 24)}"
        ),
        "curl https://@@",
    ),
    "discord-webhook": (
        lambda make: f"discord{'.com'}/api/webhooks/{make.some('123456789', 18)}/{make.some(_URL, 68)}",
        "curl https://@@",
    ),
    "discord-token": (_dotted(("M", _ALNUM, 23), ("", _ALNUM, 6), ("", _URL, 38)), "discord.login @@"),
    "telegram-token": (lambda make: f"{make.some('123456789', 9)}:AA{make.some(_URL, 33)}", "bot/@@/send"),
    "twilio-key": (_of("S" + "K", _HEX, 32), "twilio @@"),
    "sendgrid-key": (_dotted(("S" + "G.", _URL, 22), ("", _URL, 43)), "sendgrid @@"),
    "mailgun-key": (_of("key" + "-", _HEX, 32), "api:@@"),
    "mailchimp-key": (_of("", _HEX, 32, "-us12"), "mailchimp @@"),
    "brevo-key": (lambda make: f"xkey{'sib-'}{make.some(_HEX, 64)}-{make.some(_ALNUM, 16)}", "brevo @@"),
    "resend-key": (lambda make: f"r{'e_'}{make.some(_ALNUM, 8)}_{make.some(_ALNUM, 24)}", "resend @@"),
    "teams-webhook": (
        lambda make: (
            f"acme.webhook{'.office.com'}/webhookb2/{make.uuid()}@{make.uuid()}/IncomingWebhook/{make.some(_HEX, 32)}"
        ),
        "post https://@@",
    ),
    "newrelic-key": (_of("NR" + "AK-", _UPPER + _DIGITS, 27), "newrelic @@"),
    "sentry-token": (_of("sn" + "tryu_", _HEX, 64), "sentry-cli @@"),
    "grafana-token": (lambda make: f"gl{'sa_'}{make.some(_ALNUM, 32)}_{make.some(_HEX, 8)}", "grafana @@"),
    "dynatrace-token": (
        _dotted(("dt0" + "c01.", _UPPER + _DIGITS, 24), ("", _UPPER + _DIGITS, 64)),
        "dynatrace @@",
    ),
    "posthog-key": (_of("ph" + "x_", _ALNUM, 43), "posthog @@"),
    "airtable-token": (_dotted(("pa" + "t", _ALNUM, 14), ("", _HEX, 64)), "airtable @@"),
    "notion-token": (_of("nt" + "n_", _ALNUM, 46), "notion @@"),
    "hubspot-token": (lambda make: "pat" + "-na1-" + make.uuid(), "hubspot @@"),
    "contentful-token": (_of("CF" + "PAT-", _URL, 43), "contentful @@"),
    "mapbox-token": (_dotted(("sk" + ".ey" + "J", _URL, 60), ("", _URL, 22)), "mapbox @@"),
    "dropbox-token": (_of("s" + "l.", _URL, 136), "dropbox @@"),
    "typeform-token": (_of("tf" + "p_", _URL, 59), "typeform @@"),
    "onepassword-token": (_of("ops" + "_eyJ", _ALNUM, 300), "op @@"),
    "onepassword-key": (
        lambda make: "A3-" + "-".join(make.some(_UPPER + _DIGITS, n) for n in (6, 6, 5, 5, 5, 5)),
        "op signin @@",
    ),
    "age-key": (_of("AGE-SECRET" + "-KEY-1", _BECH32, 58), "age -d @@"),
    "okta-token": (_of("00", _URL, 40), "Authorization: SSWS @@"),
    "cookie": (lambda make: f"sid={make.some(_ALNUM, 32)}; theme=dark", "Cookie: @@"),
    "private-key": (_private_key, "cat id_rsa\n@@\ndone"),
    "putty-key": (_putty_key, "cat key.ppk\n@@\n"),
    "json-web-token": (_dotted(("ey" + "J", _URL, 33), ("ey" + "J", _URL, 80), ("", _URL, 43)), "jwt @@"),
    "bearer": (_of("", _ALNUM, 40), "Authorization: Bearer @@"),
    "basic-auth": (_of("ZGVwbG95O", _BASE64, 23), "Authorization: Basic @@"),
    "url-password": (_of("", _ALNUM, 16), "postgres://app:@@@db.example.com:5432/x"),
    "command-password": (_of("", _ALNUM, 16), "curl -u deploy:@@ https://host"),
    "netrc-password": (_of("", _ALNUM, 14), "machine api.host login me password @@"),
    "connection-password": (_of("", _ALNUM, 14), "Server=db;User=sa;Password=@@;Encrypt=yes"),
    "named-secret": (_of("", _ALNUM, 24), 'DEPLOY_SECRET="@@"'),
    "openshift-token": (_of("sha" + "256~", _URL, 43), "set it to @@ now"),
    "prefect-key": (_of("pn" + "u_", _ALNUM, 36), "set it to @@ now"),
    "readme-key": (_of("rd" + "me_", _LOWER + _DIGITS, 70), "set it to @@ now"),
    "scalingo-token": (_of("tk" + "-us-", _URL, 48), "set it to @@ now"),
    "settlemint-token": (_of("sm" + "_pat_", _ALNUM, 16), "set it to @@ now"),
    "infracost-key": (_of("ic" + "o-", _ALNUM, 32), "set it to @@ now"),
    "intra42-secret": (_of("s-s4" + "t2ud-", _HEX, 64), "set it to @@ now"),
    "frameio-token": (_of("fi" + "o-u-", _URL, 64), "set it to @@ now"),
    "defined-networking-token": (
        lambda make: f"dn{'key'}-{make.some(_ALNUM, 26)}-{make.some(_ALNUM, 52)}",
        "set it to @@ now",
    ),
    "harness-token": (_dotted(("pa" + "t.", _ALNUM, 22), ("", _HEX, 24), ("", _ALNUM, 20)), "set it to @@ now"),
    "octopus-key": (_of("AP" + "I-", _UPPER + _DIGITS, 26), "set it to @@ now"),
    "maxmind-key": (lambda make: f"{make.some(_ALNUM, 6)}_{make.some(_ALNUM, 29)}_{'mmk'}", "set it to @@ now"),
    "adobe-secret": (_of("p8" + "e-", _ALNUM, 32), "set it to @@ now"),
    "live-key": (_of("li" + "ve_", _ALNUM, 40), "set it to @@ now"),
    "clickhouse-key": (_of("4b" + "1d", _ALNUM, 38), "set it to @@ now"),
    "meta-token": (_of("EA" + "AG", _ALNUM, 120), "set it to @@ now"),
    "google-refresh-token": (_of("1/" + "/0", _URL, 60), "set it to @@ now"),
    "firebase-key": (lambda make: f"AA{'AA'}{make.some(_URL, 7)}:{make.some(_URL, 140)}", "set it to @@ now"),
    "openai-session": (_of("se" + "ss-", _ALNUM, 40), "set it to @@ now"),
    "fireworks-key": (_of("f" + "w_", _ALNUM, 24), "set it to @@ now"),
    "together-key": (_of("tg" + "p_v1_", _URL, 43), "set it to @@ now"),
    "cerebras-key": (_of("cs" + "k-", _LOWER + _DIGITS, 48), "set it to @@ now"),
    "elevenlabs-key": (_of("s" + "k_", _HEX, 48), "set it to @@ now"),
    "brave-key": (_of("BS" + "A", _ALNUM, 28), "set it to @@ now"),
    "firecrawl-key": (_of("f" + "c-", _HEX, 32), "set it to @@ now"),
    "wandb-key": (_of("wan" + "db_v1_", _URL, 60), "set it to @@ now"),
    "neon-key": (_of("na" + "pi_", _LOWER + _DIGITS, 64), "set it to @@ now"),
    "honeycomb-key": (_of("hc" + "aik_", _LOWER + _DIGITS, 58), "set it to @@ now"),
    "launchdarkly-key": (lambda make: "sd" + "k-" + make.uuid(), "set it to @@ now"),
    "statsig-secret": (_of("sec" + "ret-", _ALNUM, 43), "set it to @@ now"),
    "vercel-token": (_of("vc" + "p_", _ALNUM, 56), "set it to @@ now"),
    "backblaze-key": (_of("K" + "005", _ALNUM, 27), "set it to @@ now"),
    "snyk-token": (lambda make: f"sn{'yk'}_uat.{make.some(_HEX, 8)}.{make.some(_URL, 80)}", "set it to @@ now"),
    "endor-key": (_of("en" + "dr+", _ALNUM, 16), "set it to @@ now"),
    "zuplo-key": (_of("zp" + "ka_", _ALNUM, 32), "set it to @@ now"),
    "gitlab-runner-token": (_of("GR" + "1348941", _URL, 20), "set it to @@ now"),
    "packagist-token": (_of("pack" + "agist_ack_", _HEX, 68), "set it to @@ now"),
    "twitter-bearer": (_of("A" * 22, _ALNUM, 70), "set it to @@ now"),
    "twitch-token": (_of("oau" + "th:", _LOWER + _DIGITS, 30), "set it to @@ now"),
    "paddle-key": (
        lambda make: (
            f"pd{'l_live'}_apikey_{make.some(_LOWER + _DIGITS, 26)}_{make.some(_ALNUM, 22)}_{make.some(_ALNUM, 3)}"
        ),
        "set it to @@ now",
    ),
    "polar-token": (_of("po" + "lar_oat_", _URL, 43), "set it to @@ now"),
    "adyen-key": (_of("AQ" + "E", _ALNUM, 150), "set it to @@ now"),
    "xendit-key": (_of("xn" + "d_production_", _ALNUM, 60), "set it to @@ now"),
    "clickup-token": (
        lambda make: f"p{'k_'}8213337{make.some(_DIGITS, 2)}_{make.some(_UPPER + _DIGITS, 32)}",
        "set it to @@ now",
    ),
    "trello-token": (_of("AT" + "TA", _HEX, 60), "set it to @@ now"),
    "intercom-token": (_of("dG9" + "rO", _ALNUM, 56, "="), "set it to @@ now"),
    "salesforce-token": (lambda make: f"00{'D'}{make.some(_ALNUM, 12)}!{make.some(_ALNUM, 96)}", "set it to @@ now"),
    "grafana-api-key": (_of("ey" + "JrIjoi", _ALNUM, 72), "set it to @@ now"),
    "cloudflare-token": (_of("cf" + "ut_", _ALNUM, 48), "set it to @@ now"),
    "kaggle-token": (_of("KG" + "AT_", _HEX, 32), "set it to @@ now"),
    "deno-token": (_of("dd" + "p_", _ALNUM, 36), "set it to @@ now"),
    "confluent-secret": (_of("cf" + "lt", _BASE64, 60), "set it to @@ now"),
    "aiven-password": (_of("AV" + "NS_", _URL, 19), "set it to @@ now"),
    "mongodb-secret": (_of("md" + "b_sa_sk_", _URL, 40), "set it to @@ now"),
    "apify-token": (_of("api" + "fy_api_", _ALNUM, 36), "set it to @@ now"),
    "rapidapi-key": (
        lambda make: f"{make.some(_HEX, 10)}m{'sh'}{make.some(_HEX, 15)}p1{make.some(_HEX, 6)}jsn{make.some(_HEX, 12)}",
        "set it to @@ now",
    ),
    "buildkite-agent-token": (_of("bk" + "ct_", _HEX, 40), "set it to @@ now"),
    "dbt-token": (_of("db" + "tc_", _URL, 40), "set it to @@ now"),
    "onesignal-key": (_of("os" + "_v2_app_", _LOWER + _DIGITS, 100), "set it to @@ now"),
    "stytch-secret": (_of("secret" + "-live-", _URL, 36), "set it to @@ now"),
    "mercadopago-token": (
        lambda make: f"APP{'_USR-'}1{make.some(_DIGITS, 15)}-123456-{make.some(_HEX, 32)}-1{make.some(_DIGITS, 8)}",
        "set it to @@ now",
    ),
    "yandex-iam-token": (_dotted(("t" + "1.", _URL, 60), ("", _URL, 86)), "set it to @@ now"),
    "volcengine-key": (_of("AK" + "LT", _ALNUM, 42), "set it to @@ now"),
    "mailersend-token": (_of("ml" + "sn.", _HEX, 64), "set it to @@ now"),
    "logfire-token": (_of("py" + "lf_v1_us_", _ALNUM, 43), "set it to @@ now"),
    "cursor-key": (_of("ke" + "y_", _HEX, 64), "set it to @@ now"),
    "context7-key": (lambda make: "ctx" + "7sk-" + make.uuid(), "set it to @@ now"),
    "daytona-key": (_of("dt" + "n_", _HEX, 64), "set it to @@ now"),
    "jina-key": (_of("ji" + "na_", _URL, 60), "set it to @@ now"),
    "llamacloud-key": (_of("ll" + "x-", _ALNUM, 48), "set it to @@ now"),
    "helicone-key": (_of("sk-heli" + "cone-", _ALNUM, 30), "set it to @@ now"),
    "xata-key": (_of("xa" + "u_", _ALNUM, 36), "set it to @@ now"),
    "inngest-key": (_of("sign" + "key-prod-", _HEX, 64), "set it to @@ now"),
    "trigger-key": (_of("tr" + "_prod_", _ALNUM, 20), "set it to @@ now"),
    "svix-key": (_of("s" + "k_", _ALNUM, 32, ".eu"), "set it to @@ now"),
    "unkey-key": (_of("un" + "key_", _ALNUM, 22), "set it to @@ now"),
    "arcjet-key": (_of("aj" + "key_", _ALNUM, 26), "set it to @@ now"),
    "imagekit-key": (_of("pri" + "vate_", _ALNUM, 28), "set it to @@ now"),
    "segment-token": (_of("sg" + "p_", _ALNUM, 64), "set it to @@ now"),
    "vault-service-token": (_of("s" + ".", _ALNUM, 24), "set it to @@ now"),
    "newrelic-browser-key": (_of("NR" + "JS-", _HEX, 19), "set it to @@ now"),
    "chromatic-token": (_of("ch" + "pt_", _HEX, 16), "set it to @@ now"),
    "voyage-key": (_of("p" + "a-", _URL, 43), "set it to @@ now"),
    "gemini-key": (_of("AQ" + ".Ab8", _URL, 46), "set it to @@ now"),
    "anyscale-key": (_of("ese" + "cret_", _LOWER + _DIGITS, 26), "set it to @@ now"),
    "openai-client-secret": (_of("e" + "k_", _HEX, 32), "set it to @@ now"),
    "fal-key": (lambda make: f"{make.uuid()}:{make.some(_HEX, 32)}", "for fal it is @@ now"),
    "luma-key": (lambda make: f"lu{'ma'}-{make.uuid()}-{make.uuid()}", "set it to @@ now"),
    "runpod-key": (_of("rp" + "a_", _UPPER + _DIGITS, 46), "set it to @@ now"),
    "modal-token": (_of("a" + "s-", _ALNUM, 22), "set it to @@ now"),
    "arize-key": (lambda make: f"a{'k-'}{make.uuid()}-{make.some(_URL, 32)}", "set it to @@ now"),
    "mem0-key": (_of("m" + "0-", _ALNUM, 40), "set it to @@ now"),
    "scrapfly-key": (_of("scp" + "-live-", _HEX, 32), "set it to @@ now"),
    "amp-token": (
        lambda make: f"sg{'amp_user_'}{make.some(_UPPER + _DIGITS, 26)}_{make.some(_HEX, 64)}",
        "set it to @@ now",
    ),
    "factory-key": (_of("f" + "k-", _URL, 60), "set it to @@ now"),
    "tinybird-token": (_dotted(("p", "", 0), ("ey" + "J1", _ALNUM, 70), ("", _URL, 43)), "set it to @@ now"),
    "cockroach-key": (lambda make: f"CC{'DB1_'}{make.some(_ALNUM, 22)}_{make.some(_ALNUM, 40)}", "set it to @@ now"),
    "neon-password": (_of("np" + "g_", _ALNUM, 16), "set it to @@ now"),
    "elastic-key": (_of("es" + "su_", _ALNUM, 60, "=="), "set it to @@ now"),
    "axiom-token": (lambda make: "xa" + "at-" + make.uuid(), "set it to @@ now"),
    "datadog-key": (_of("dd" + "app_", _ALNUM, 34), "set it to @@ now"),
    "zhipu-key": (lambda make: f"{make.some(_HEX, 32)}.{make.some(_ALNUM, 16)}", "for glm-4 it is @@ now"),
    "influx-token": (_of("", _URL, 86, "=="), "influx auth is @@ now"),
    "azure-devops-token": (lambda make: f"{make.some(_ALNUM, 76)}AZ{'DO'}{make.some(_ALNUM, 4)}", "set it to @@ now"),
    "azure-marked-key": (lambda make: f"{make.some(_BASE64, 42)}+A{'CR'}{make.some(_ALNUM, 6)}", "set it to @@ now"),
    "akamai-token": (
        lambda make: f"ak{'ab'}-{make.some(_LOWER + _DIGITS, 16)}-{make.some(_LOWER + _DIGITS, 16)}",
        "set it to @@ now",
    ),
    "tigris-key": (_of("ts" + "ec_", _BASE64, 60), "set it to @@ now"),
    "vercel-blob-token": (
        lambda make: f"vercel{'_blob_rw_'}{make.some(_ALNUM, 16)}_{make.some(_ALNUM, 30)}",
        "set it to @@ now",
    ),
    "depot-token": (_of("dep" + "ot_project_", _HEX, 64), "set it to @@ now"),
    "bitbucket-server-token": (_of("BB" + "DC-", _BASE64, 44), "set it to @@ now"),
    "phabricator-token": (_of("cl" + "i-", _LOWER + _DIGITS, 28), "set it to @@ now"),
    "jetbrains-token": (_dotted(("pe" + "rm:", _ALNUM, 20), ("", _ALNUM, 14), ("", _ALNUM, 30)), "set it to @@ now"),
    "socket-token": (_of("sk" + "tsec_", _URL, 40, "_api"), "set it to @@ now"),
    "ngrok-token": (lambda make: f"2{make.some(_ALNUM, 26)}_{make.some(_ALNUM, 21)}", "ngrok has @@ now"),
    "ory-token": (_of("or" + "y_pat_", _ALNUM, 32), "set it to @@ now"),
    "boundary-token": (lambda make: f"a{'t_'}{make.some(_ALNUM, 10)}_{make.some(_ALNUM, 43)}", "set it to @@ now"),
    "infisical-token": (
        lambda make: f"s{'t.'}{make.uuid()}.{make.some(_HEX, 32)}.{make.some(_HEX, 32)}",
        "set it to @@ now",
    ),
    "bitwarden-token": (
        lambda make: f"0.{make.uuid()}.{make.some(_ALNUM, 30)}:{make.some(_BASE64, 22)}==",
        "set it to @@ now",
    ),
    "dashlane-key": (lambda make: f"dl{'s_'}{make.some(_ALNUM, 26)}_{make.some(_ALNUM, 40)}", "set it to @@ now"),
    "unleash-token": (_of("*:" + "production.", _HEX, 56), "set it to @@ now"),
    "configcat-key": (
        lambda make: f"config{'cat-sdk'}-1/{make.some(_URL, 22)}/{make.some(_URL, 22)}",
        "set it to @@ now",
    ),
    "flagsmith-key": (_of("se" + "r.", _ALNUM, 22), "set it to @@ now"),
    "nix-signing-key": (_of("", _BASE64, 86, "=="), "cache.brook.io-1:@@"),
    "minisign-key": (_of("RWRTY" + "0Iy", _BASE64, 200, "=="), "set it to @@ now"),
    "convex-key": (_of("", _ALNUM, 60), "prod:quick-otter-123|@@"),
    "matrix-token": (
        lambda make: f"sy{'t_'}{make.some(_ALNUM, 12)}_{make.some(_ALNUM, 20)}_{make.some(_ALNUM, 6)}",
        "set it to @@ now",
    ),
    "linkedin-secret": (_dotted(("WPL" + "_AP1", "", 0), ("", _ALNUM, 16), ("", _ALNUM, 6)), "set it to @@ now"),
    "linkedin-token": (_of("AQ" + "X", _URL, 180), "set it to @@ now"),
    "tiktok-token": (_of("ac" + "t.", _ALNUM, 60, "!4567.va"), "set it to @@ now"),
    "google-code": (_of("4/" + "0A", _URL, 70), "set it to @@ now"),
    "klaviyo-key": (_of("p" + "k_", _HEX, 34), "set it to @@ now"),
    "checkly-key": (_of("c" + "u_", _HEX, 32), "set it to @@ now"),
    "zoho-token": (_dotted(("10" + "00", "", 0), ("", _HEX, 32), ("", _HEX, 32)), "set it to @@ now"),
    "revolut-key": (_of("oa" + "_prod_", _URL, 43), "set it to @@ now"),
    "telnyx-key": (lambda make: f"KE{'Y0'}{make.some(_DIGITS + 'ABCDEF', 32)}_{make.some(_ALNUM, 22)}", "dial @@ now"),
    "nylas-key": (_of("ny" + "k_v0_", _ALNUM, 64), "set it to @@ now"),
    "pubnub-key": (_of("se" + "c-c-", _ALNUM, 48), "set it to @@ now"),
    "ably-key": (
        lambda make: f"{make.some(_ALNUM, 6)}.{make.some(_ALNUM, 6)}:{make.some(_URL, 43)}",
        "for ably it is @@ now",
    ),
    "webflow-token": (_of("w" + "s-", _HEX, 64), "set it to @@ now"),
    "ghost-key": (lambda make: f"{make.some(_HEX, 24)}:{make.some(_HEX, 64)}", "ghost has @@ now"),
    "riot-key": (lambda make: "RG" + "API-" + make.uuid(), "set it to @@ now"),
    "roblox-cookie": (
        _of("_|WARNING:" + "-DO-NOT-SHARE-THIS.--It-lets-others-log-in.|_", _DIGITS + "ABCDEF", 300),
        "set it to @@ now",
    ),
    "nostr-key": (_of("ns" + "ec1", _BECH32.lower(), 58), "set it to @@ now"),
    "app-password": (
        lambda make: " ".join(make.some(_LOWER, 4) for _ in range(4)),
        "the app password of the mailbox: @@",
    ),
    "marked-key": (_of("shop" + "ly_pat_", _ALNUM, 40), "set it to @@ now"),
    "named-password": (lambda make: f"Tr0ub&4d{make.some(_LOWER, 6)}!x", 'password: "@@"'),
    "authorization": (_of("", _ALNUM, 32), "Authorization: Token @@"),
    "registry-auth": (_of("dXNlcjpw", _ALNUM, 24), '{"auths": {"r.io": {"auth": "@@"}}}'),
    "url-token": (_of("", _ALNUM, 32), "git clone https://@@@git.example.org/x"),
    "url-parameter": (_of("", _ALNUM, 32), "GET https://api.example.org/x?key=@@&v=1"),
    "argument-secret": (_of("", _ALNUM, 24), 'HTTPBasicAuth("mara", "@@")'),
    "webhook-address": (_of("", _ALNUM, 24), "curl https://hooks.example.org/hooks/catch/1234/@@/"),
    "said-password": (lambda make: f"Kaffee-Turm{make.some(_DIGITS, 4)}", "Das Passwort lautet @@"),
    "mixed-password": (
        lambda make: f"{make.some(_UPPER, 3)}{make.some(_DIGITS, 2)}{make.some(_LOWER, 2)}7Z!{make.some(_DIGITS, 2)}q",
        "hey, the pw of staging is @@ today",
    ),
    "seed-phrase": (
        lambda make: " ".join(make.some(_LOWER, 5) for _ in range(12)),
        "My seed phrase: @@",
    ),
    "recovery-code": (lambda make: "-".join(make.some(_DIGITS, 6) for _ in range(8)), "BitLocker recovery key @@"),
    "asana-token": (
        lambda make: f"2/{make.some(_DIGITS, 16)}/{make.some(_DIGITS, 16)}:{make.some(_HEX, 32)}",
        "asana @@",
    ),
    "nats-seed": (_of("S" + "U", _BASE32, 56), "nats --nkey @@"),
    "wallet-key": (_of("S", _BASE32, 55), "stellar wallet @@"),
    "k3s-token": (lambda make: f"K1{'0'}{make.some(_HEX, 64)}::server:{make.some(_HEX, 32)}", "join @@"),
    "swarm-token": (
        lambda make: f"SWM{'TKN-1-'}{make.some(_LOWER + _DIGITS, 50)}-{make.some(_LOWER + _DIGITS, 25)}",
        "join @@",
    ),
    "password-hash": (_of("$2" + "b$12$", _ALNUM, 53), "root:@@:19000"),
}
