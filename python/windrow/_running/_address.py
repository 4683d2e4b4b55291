"""Show the addresses of sinks without values that may be secret.

As `JdbcAddress` in Scala: only parts that are known to be harmless are shown: the kind of database,
the host, and the name of the database (rule B7).
"""

from __future__ import annotations

import re

_HIDDEN = "…"
_HOST = r"[A-Za-z0-9_.-]+(?:\\[A-Za-z0-9_.-]+)?(?::\d{1,5})?"
_PLACE = rf"{_HOST}(?:,{_HOST})*(?:/[A-Za-z0-9_.$-]*)?"
_WORD = r"[A-Za-z0-9_.~%+!$-]*"
_SCHEME = r"jdbc(?::[A-Za-z0-9+]{1,20}){1,3}://"
_ON_SERVER = re.compile(rf"{_SCHEME}{_PLACE}(?=[?;&:]|\Z)")
_OF_ORACLE = re.compile(rf"jdbc:oracle:thin:@(?://)?{_HOST}(?:[:/][A-Za-z0-9_.$-]+)?(?=[?;&]|\Z)")
_OF_FILE = re.compile(
    r"jdbc:(?:derby|sqlite|h2|hsqldb|duckdb)(?::[A-Za-z]{1,20})?:[A-Za-z0-9_./\\ ~-]*(?=[?;&:]|\Z)"
)
_KIND = re.compile(r"jdbc:[A-Za-z0-9+]{1,20}:")
_WITH_USER = re.compile(rf"({_SCHEME}){_WORD}(?::{_WORD})?@({_PLACE})(?:[?;&].*)?", re.DOTALL)
_SERVERS = re.compile(r"[A-Za-z0-9_.:/,\[\] -]*")
_PATH = re.compile(
    r"[A-Za-z0-9]+://[A-Za-z0-9_.-]*(?:@[A-Za-z0-9_.-]+)?(?::\d{1,5})?(?:/[^@?;&]*)?"
)


def shown(url: str) -> str:
    """Return the address of a database without secrets."""
    signs = url.count("@")
    with_user = _WITH_USER.fullmatch(url) if signs == 1 else None
    if with_user:
        return f"{with_user[1]}{_HIDDEN}@{with_user[2]}"
    kinds = [(_ON_SERVER, _OF_FILE), (_OF_ORACLE,), ()][min(signs, 2)]
    found = [match for match in (kind.match(url) for kind in (*kinds, _KIND)) if match]
    known = found[0][0] if found else ""
    return url if known == url and url else f"{known}{_HIDDEN}"


def shown_servers(servers: str) -> str:
    """Return the addresses of brokers without secrets."""
    return servers if _SERVERS.fullmatch(servers) else _HIDDEN


def shown_path(path: str) -> str:
    """Return a folder without the access keys that some storage addresses contain."""
    scheme, on_storage, _ = path.partition("://")
    is_known = not on_storage or _PATH.fullmatch(path)
    return path if is_known else f"{scheme}://{_HIDDEN}"
