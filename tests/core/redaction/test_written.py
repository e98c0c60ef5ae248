"""Tests that a secret is found however people, programs and settings write it beside its name."""

import json
from base64 import b64encode

import pytest

from chorus.core.redaction.choices import Choices
from chorus.core.redaction.redactor import Redactor
from chorus.core.redaction.scanner import Scanner
from chorus.testing.builders import Session
from chorus.testing.builders.secrets import Secrets
from chorus.testing.reading import split

SECRET = next(each.secret for each in Secrets(seed=31).all() if each.kind == "named-secret")
PERSONS = "Tr0ub4dor&3xY!"
TEXTS = """
X-API-Key: @
curl -H 'x-api-key: @' https://h
curl -H "apikey: @" h
api-key = "@"
client-secret: @
access-key: @
APP_KEY=base64:@
STRIPE_KEY=@
GITHUB_PAT=@
ADMIN_PW=@
psk="@"
<password>@</password>
<ns:apiKey>@</ns:apiKey>
<add key="Password" value="@"/>
define('DB_PASSWORD', '@');
variable "db_password" { default = "@" }
const apiKey: string = "@"
let api_key: &str = "@";
#define API_KEY "@"
var password = @"@";
setenv API_TOKEN @
set -gx API_TOKEN @
setx API_TOKEN @
ENV DB_PASSWORD @
docker login -u me -p @
mysql -uroot -p@ db
az login --service-principal -u x -p @ --tenant y
redis-cli -h cache -a @ ping
ldapsearch -x -w @ -D cn=x
htpasswd -b users.txt mara @
echo 'root:@' | chpasswd
openssl rsa -in k -passin pass:@
keytool -list -storepass @
gh secret set DEPLOY --body @
wget --http-password=@ h
java -Dapp.password=@ -jar x
mvn -Dsonar.login=@
curl -b 'session=@' h
CREATE USER x IDENTIFIED BY '@';
ALTER ROLE x WITH PASSWORD '@';
jdbc:postgresql://h/db?user=a&password=@&ssl=1
jdbc:oracle:thin:scott/@@h:1521:x
git clone https://@@git.example.org/x
https://h/x?key=@&a=1
https://h/x?sig=@
https://h/x?a=1&X-Amz-Signature=@
otpauth://totp/x?secret=@&issuer=y
The password is @
use the password @ for the account
my api key is @
{"auths": {"r.io": {"auth": "@"}}}
Authorization: Token @
headers = {"Authorization": "@"}
""".strip().splitlines()
INPUTS = [
    {"headers": {"Authorization": "Token @"}},
    {"headers": {"Authorization": "@@"}},
    {"headers": {"X-Api-Key": "@"}},
    {"headers": {"Cookie": "session=@"}},
    {"headers": [{"name": "X-Api-Key", "value": "@"}]},
    {"env": [{"name": "DB_PASSWORD", "value": "@"}]},
    {"args": ["--password", "@"]},
    {"args": ["login", "--token", "@", "--quiet"]},
    {"args": ["curl", "-u", "deploy:@", "https://h"]},
]


def redacted(data: bytes) -> str:
    pieces = split(data)
    redactor = Redactor(Choices())
    redactor.search("session", pieces)
    redactor.settle()
    return b"".join(new + piece.tail for piece, new in redactor.replace("session", pieces)).decode()


def called(given) -> bytes:
    session = Session()
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "mcp__x__call", "input": given})
    return bytes(session)


def said(text: str) -> bytes:
    session = Session()
    session.user(text)
    return bytes(session)


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_in_a_text_is_hidden(text):
    """The secret is gone, and the words around it stay."""
    before, _, _ = text.partition("@")
    after = redacted(said(text.replace('= @"@"', '= \0"@"').replace("@", SECRET, 1).replace("\0", "@")))

    assert SECRET not in after and json.dumps(before[:8])[1:-1] in after


@pytest.mark.parametrize("given", INPUTS, ids=json.dumps)
def test_a_secret_in_the_input_of_a_tool_is_hidden(given):
    """Headers, variables and arguments give away what stands beside or after them."""
    after = redacted(called(json.loads(json.dumps(given).replace("@", SECRET))))

    assert SECRET not in after and '"name":"mcp__x__call"' in after.replace('": "', '":"')


def test_a_header_for_basic_authentication_in_an_input_is_hidden():
    """The encoded user and password are gone."""
    encoded = b64encode(f"svc:{SECRET}".encode()).decode()

    assert encoded not in redacted(called({"headers": {"Authorization": f"Basic {encoded}"}}))


@pytest.mark.parametrize("text", ["DB_PASSWORD=@", 'password: "@"', "PASSWORD='@'", '"password": "@",', 'passwd = "@"'])
@pytest.mark.parametrize("password", [PERSONS, "p@ssW0rd!2024#x", "a?B8*cd|9eF", "abC#12$dEf99"])
def test_a_password_with_any_characters_is_hidden(text, password):
    """A password that a person made up has characters that keys do not have."""
    assert password not in redacted(said(text.replace("@", password)))


@pytest.mark.parametrize(
    "text",
    [
        "password = getPassword2(config)",
        'password: "[named-password-1]"',
        'password="${DB_PASSWORD_2}"',
        "private_key: ed25519.Key.generate_v2()",
        "auth_method = scram.Sha256Method",
        "const tokenKey = `user:${id}`",
        "publicKey: Uint8Array(32)",
        "publicKey: Uint8Array, privateKey: Float32Array",
        "key-2024-01-05T09:00",
        "Authorization: Bearer $TOKEN_2",
        "docker login -u me -p $PASSWORD",
        "the token is refreshed2 by the server",
        'args: ["--token-file", "/run/token2"]',
        "git log --author=VSHUMILIN97",
    ],
)
def test_code_about_secrets_stays(text):
    """References, calls, types and placeholders are no secrets."""
    assert [span.value for span in Scanner().scan(text) if span.rule.kind == "secret"] == []
