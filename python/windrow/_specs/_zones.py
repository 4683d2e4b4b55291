"""Time zones by their names in Spark: regions, offsets, and the short names of old Java."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")

#: As in java.time.ZoneId.SHORT_IDS, which Spark reads, and UT, which Python does not know.
_SHORT = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "EST": "-05:00",
    "HST": "-10:00",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "MST": "-07:00",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "UT": "Z",
    "VST": "Asia/Ho_Chi_Minh",
}


def tzinfo_of(zone: str) -> tzinfo:
    """Return a zone by its name in Spark: a region, or an offset such as ``+02:00``."""
    zone = _SHORT.get(zone, zone)
    offset = _OFFSET.fullmatch(zone)
    if offset is None:
        return UTC if zone == "Z" else ZoneInfo(zone)
    sign, *numbers = offset.groups()
    hours, minutes, seconds = (int(number or 0) for number in numbers)
    ahead = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-ahead if sign == "-" else ahead)
