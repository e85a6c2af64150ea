"""What is a secret: by its name, by its shape, and by the program that takes it. One table, for everything we record.

Standard library and Python 3.8: a measured program that names its settings reads it, too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, Pattern  # noqa: UP035 - a measured program's Python may be 3.8


@lru_cache(maxsize=None)  # noqa: UP033 - not before Python 3.9
def compiled(pattern: str) -> Pattern[str]:
    """Made when the first text needs it: to make all of them takes longer than a run may take to start."""
    return re.compile(pattern)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: a text without any of these, in whatever case, names no secret: most texts are done here
NAMES = _set("pass pw pswd otp secret credential key token auth jwt pat sig cookie bearer")

# --- by name: `some-API_key` is looked at as `some_api_key` ---

_KEY_OF = (
    "access|account|admin|anthropic|api|app|auth|azure|client|cohere|comet|consumer|decryption|deploy|encryption|gemini"
    "|groq|hf|license|master|mistral|neptune|openai|pinecone|private|project|replicate|secret|service|session|shared"
    "|signing|ssh|storage|subscription|together|wandb|webhook"
)
_TOKEN_OF = (
    "access|api|app|auth|bearer|bot|cloudflare|csrf|deploy|discord|gh|github|gitlab|hf|hub|huggingface|identity|npm"
    "|oauth|personal|private|pypi|refresh|replicate|sas|secret|security|session|slack|telegram|user|vault|wandb|xsrf"
)
#: leaves no doubt, whatever the value looks like
SURE = re.compile(
    r"passw(?:or)?d|passwort|passphrase|passcode|pswd|secret|credential|(?:api|private|access|auth|account)key|(?:auth|access)token"
    rf"|(?:^|_)(?:{_KEY_OF})_key(?:s|_id)?$|(?:^|_)(?:{_TOKEN_OF})_token$|awsaccesskeyid$"
    r"|(?:^|_)(?:pwd?|(?:become|db|key|mysql|pg|root|sql|ssh|store|su|user)?pass)$|(?:^|_)(?:cookies?|t?otp)$"
)
#: the last word of a name that holds no secret itself: `--password-file`, `--key-size`, `--api-key-env`
ABOUT = _set(
    """algorithm arn attempts backend cache class column columns count dir enabled endpoint env expiry field file
    folder format generator header index keeper len length lifetime limit location manager max method min mode name
    names num path pattern policy prefix prompt provider ratio regex required rotation rounds sharing size source
    store stdin strength suffix timeout ttl type url uri validation var variable version"""
)
#: the first word of a switch: `--no-password`, `--use-auth-token`, `num_keys`
SWITCH = _set(
    """ask count disable enable generate has hide is max min n need no num prompt require reset show skip total use
    with without"""
)
#: `--pad-token [PAD]` is a word of a language model's
OF_TOKENIZERS = _set(
    """additional audio begin bos class cls decoder end eos eot extra first forced image initializer instance last mask
    max min modifier n new num pad per placeholder prefix sep special start stop suffix trigger unk video"""
)
#: `--forward-pass 3`
OF_PASSES = _set("backward first forward max multi n num one second single two warmup")
#: in the query of a URL, more names give a secret away
IN_QUERY = re.compile(
    r"(?i)(?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|policy|key-pair-id|googleaccessid)$"
)
#: what is said instead of a secret
NOT_SECRET = _set(
    """* ** - 0 1 always anonymous ask auto basic bearer bool changeme digest env false ignore int kerberos keyring
    never no none null off on optional prompt required str true undefined yes"""
)

# --- by shape ---

SHAPES = r"""(?x)(?<![A-Za-z0-9])(?:
      hf_[A-Za-z0-9]{18,} | api_org_[A-Za-z0-9]{18,} | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_\w{20,}
    | gl(?:pat|dt|rt|ptt|ft|oas)-[\w-]{16,} | sk-(?:ant|proj|or|svcacct|admin|lf|None)-[\w-]{16,} | sk-[A-Za-z0-9]{20,}
    | [sr]k_(?:live|test)_[A-Za-z0-9]{16,} | xox[abceoprs]-[\w-]{10,} | xapp-[\w-]{16,} | npm_[A-Za-z0-9]{30,}
    | pypi-(?:Ag[\w-]{14,}|[A-Za-z0-9_]{32,}) | (?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z]) | AIza[\w-]{30,}
    | ya29\.[\w-]{20,} | SG\.[\w-]{16,}\.[\w-]{16,} | hvs\.[\w-]{16,} | dop_v1_[0-9a-f]{40,} | dckr_pat_[\w-]{16,}
    | shp(?:at|ss|ca|pa)_[0-9a-fA-F]{24,} | (?:gsk|r8|glsa|lin_api|pcsk|tgp_v1|wandb_v1)_[A-Za-z0-9_]{24,}
    | (?:nvapi|xai|tskey|PMAK|ATATT3x)[A-Za-z0-9_=-]{24,} | AGE-SECRET-KEY-1[0-9A-Z]{30,} | key-[0-9a-f]{32}\b
    | ewog[A-Za-z0-9+/=]{100,} | eyJ0eXBlIjo[A-Za-z0-9+/=]{60,}
    | eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)*
    )"""
#: in lower case, without which no such shape is in a text
SHAPES_BEGIN = _set(
    """hf_ api_org_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glft- gloas- sk- sk_ rk_ xox xapp-
    npm_ pypi- akia asia abia acca aiza ya29. sg. hvs. dop_v1_ dckr_pat_ shp gsk_ r8_ glsa_ lin_api_ pcsk_
    tgp_v1_ wandb_v1_ nvapi xai tskey pmak atatt3x age-secret key- ewog eyj"""
)
#: addresses that are secrets themselves, and where in them
_ADDRESSES = r"""(?xi)(?:
      hooks\.slack\.com/(?:services|workflows|triggers)/ | (?:discord|discordapp)\.com/api/(?:v\d+/)?webhooks/\d+/
    | [\w-]{1,60}\.webhook\.office\.com/webhookb2/ | outlook\.office(?:365)?\.com/webhook/ | hooks\.zapier\.com/hooks/
    | api\.telegram\.org/(?:file/)?bot | maker\.ifttt\.com/trigger/[^/\s]{1,60}/(?:with|json/with)/key/
    )(?P<secret>[^\s'"?\#]+)"""
#: of `scheme://user:password@host` and `scheme://token@host`
_IN_URL = r"""://(?:[^/\s:@'"]*:(?P<secret>[^\s/'"]+)|(?P<user>[^/\s:@'"]{16,}))@"""
#: `Authorization: Bearer …` in all its forms; a scheme with parts has them to the end of the line
_HEADER = r"""(?xi)authorization\\*["']?\s{0,4}[:=,]\s{0,4}\\*["']?
    (?:(?:digest|aws4-hmac-sha256|oauth|negotiate|hawk|sharedkey\w*)\s{1,4}(?P<parts>[^\n']+)
    |(?:(?:bearer|basic|token|apikey|api-key|key|ntlm)(?:\\?\s|%20|\+){1,4})?(?P<secret>[^\s"'\\]+))"""
_COOKIE = r"""(?i)\b(?:set-)?cookie:\s{0,4}(?P<secret>[^\n"']+)"""
_BEARER = r"""(?i)\bbearer(?:\s|%20){1,4}(?P<secret>(?=[^\s"']{0,200}\d)[\w.~+/=-]{12,})"""
#: of a netrc file, whose words may stand on one line or on several
_NETRC = r"""(?xi)\b(?:machine\s{1,8}[^\s"']{1,200}|default)(?:\s{1,8}(?:login|account)\s{1,8}[^\s"']{1,200}){0,2}
    \s{1,8}password\s{1,8}(?P<secret>[^\s"']+)"""
#: one of these must be in a text, in lower case, for a pattern to be tried; the group is what is hidden
PARTS = (
    (("://",), _IN_URL),
    (("hook", "api.telegram", "ifttt"), _ADDRESSES),
    (("authorization",), _HEADER),
    (("cookie",), _COOKIE),
    (("bearer",), _BEARER),
    (("machine", "default"), _NETRC),
)

# --- by program ---


class Takes(NamedTuple):
    """How a program is given a secret: words with a space between them."""

    flags: str = ""  # the word after one of these, or the rest of a short one: `-p PW`, `-pPW`
    glued: str = ""  # only the rest of the word: `mysql -p db` asks
    pairs: str = ""  # `user:password` after one of these
    after: str = ""  # the first word after one of these that is no option: `wandb login KEY`
    last: str = ""  # the last word, where one of these is given
    prefix: str = ""  # what follows this within a word: `pass:PW`
    only_after: str = ""  # all of this holds only after this word: `docker run -p 80:80` is none


_MYSQL = Takes(glued="-p")
_MONGO, _LDAP, _ZIP, _LOGIN = (
    Takes(flags="-p"),
    Takes(flags="-w"),
    Takes(flags="-P"),
    Takes(flags="-p", only_after="login"),
)
_TOKEN = Takes(flags="--token")
PROGRAMS = {
    "curl": Takes(pairs="-u -U --user --proxy-user -b --cookie", flags="--oauth2-bearer"),
    **dict.fromkeys(("http", "https", "xh"), Takes(pairs="-a")),
    **dict.fromkeys(_set(
    """mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mariadb mycli"""
), _MYSQL),
    **dict.fromkeys(_set("mongo mongosh mongodump mongorestore mongoexport mongoimport"), _MONGO),
    **dict.fromkeys(_set("ldapsearch ldapadd ldapmodify ldapwhoami ldapdelete"), _LDAP),
    **dict.fromkeys(_set("docker podman nerdctl buildah skopeo helm oras crane az oc cf"), _LOGIN),
    **dict.fromkeys(_set("hf huggingface-cli glab gh kubectl comet databricks"), _TOKEN),
    **dict.fromkeys(("7z", "7za", "7zz", "rar", "unrar"), Takes(glued="-p")),
    **dict.fromkeys(("zip", "unzip", "sqlcmd", "bcp"), _ZIP),
    **dict.fromkeys(("smbclient", "rpcclient"), Takes(pairs="-U")),
    "sshpass": Takes(flags="-p"),
    "twine": Takes(flags="-p"),
    "redis-cli": Takes(flags="-a"),
    "lftp": Takes(pairs="-u"),
    "openssl": Takes(flags="-k -K", prefix="pass:"),
    "xfreerdp": Takes(prefix="/p:"),
    "htpasswd": Takes(last="-b -bc -cb -nb -nbB -Bb -bB"),
    "mc": Takes(last="set"),
    "wandb": Takes(after="login"),
    "vault": Takes(after="login"),
    "rclone": Takes(after="obscure"),
    "ssh-keygen": Takes(flags="-N -P"),
}  # fmt: skip
#: programs whose `set` and `config` take a name and then its value
SETTERS = _set("aws conda dvc gcloud gh git heroku npm pip pip3 pnpm poetry rclone yarn")
#: `echo PW | sudo -S …`
READS_IT = _set("--password-stdin --with-token --passphrase-fd chpasswd passwd -S")
STARTERS = frozenset(PROGRAMS) | SETTERS | {"echo", "printf"}
STARTS_ONE = r"(?:^|[\s;|&(/'\"])(?:{})\s".format("|".join(map(re.escape, sorted(STARTERS))))
#: files that are never kept, whatever is in them
_PRIVATE_FILE = (
    r"(?i)(?:^|/)(?:\.env(?:\.[\w.-]+)?|[\w.-]*\.env|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials"
    r"|credentials(?:\.json|\.ya?ml)?|id_(?:rsa|dsa|ecdsa|ed25519)|[\w.-]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$"
)


#: all that `compiled` is asked for, so that a test can try each
LATE = (*(pattern for _, pattern in PARTS), SHAPES, STARTS_ONE, _PRIVATE_FILE)


def is_private(path: str) -> bool:
    return compiled(_PRIVATE_FILE).search(path) is not None
