"""Values that must not appear in any error or log: one for each column of a row."""

FAR = "2999-01-01 00:00:07.654321"
SECRETS = {
    "text": "hushhush-4711",
    "number": 907_060_504_030_201,
    "real": 0.123454321,
    "bytes": b"sealed-8147",
}
#: The values that Spark supports as literals.
VALUES = {name: value for name, value in SECRETS.items() if name != "bytes"}


def forms(value: object) -> list[str]:
    """Return the texts in which a value could appear: plain and as bytes."""
    text = value.decode() if isinstance(value, bytes) else str(value)
    return [text, text.encode().hex()]
