"""Text without markup, addresses, mail headers and encoded attachments. Every function is linear in the text."""

from __future__ import annotations

import html
import re

# Elements of HTML. Other names in angle brackets, such as the ticker <BP>, are text.
_INLINE_TEXT = """
a abbr b bdi bdo big cite code em font i ins kbd mark q s small span strike strong sub sup tt u var wbr
"""
_INLINE = frozenset(_INLINE_TEXT.split())
_BLOCK_TEXT = """
address applet area article aside audio base blockquote body br button canvas caption center col colgroup dd del
details dfn dialog dir div dl doctype dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
head header hr html iframe img input label legend li link main map menu meta nav noscript object ol optgroup option p
param picture pre ref samp script section select source style summary svg table tbody td template textarea tfoot th
thead time title tr track ul video
"""
_BLOCK = frozenset(_BLOCK_TEXT.split())
_TAG = re.compile(r"<([/!?]?)([A-Za-z][A-Za-z0-9:-]*+)([^<>]*+)>")
# Content that is not text, up to its end tag.
_HIDDEN = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"))

_URL = re.compile(
    r"(?:(?<![a-z])(?:https?|s?ftp|file|gopher|telnet|news|nntp|irc|ldap|wais|tel|mailto|urn|doi)"
    r"(?:://?|:(?=[\w.+-]++[@.]))|(?<![\w.])www\.)\S++",
    re.IGNORECASE,
)
# Local part @ host: addresses and message ids. A run of characters is tried once, from its start.
_EMAIL = re.compile(r"""(?<![^\s<>()\[\]{}"',;:|])[^\s<>()\[\]{}"',;:|@]++@[^\s<>()\[\]{}"',;:|@]++""")
# Names of hosts and newsgroups: three or more labels, or two that end in a common top-level domain.
_HOST = re.compile(
    r"(?<![\w.@-])(?:(?:[a-z0-9_-]++\.){2,}[a-z][a-z0-9_-]++|[a-z0-9-]++\."
    r"(?:com|org|net|edu|gov|mil|int|info|io|co|biz|app|dev|de|uk|fr|it|es|nl|ch|at|se|no|dk|fi|pl|ru|jp|cn|br|au|ca|eu))"
    r"(?![\w-])(?:[/:]\S*+)?",
)

_HEADER_LINE = re.compile(r"[A-Za-z][A-Za-z0-9._-]*+:(?=[ \t\n]|$)")
_MAIL_HEADERS = frozenset({"from", "subject", "message-id", "received", "newsgroups", "path", "to", "reply-to"})
_KEPT_HEADERS = frozenset({"subject", "summary", "keywords"})
_MAX_HEADER_LINES = 200
# Lines that name the author of a quotation, with hosts: "In article <…> somebody writes:".
_ATTRIBUTIONS = ("writes:", "wrote:", "writes in article", "schrieb:", "a écrit:", "a écrit :")
_ARTICLE = "In article <"
_LONGEST_ATTRIBUTION = 200
# Lines of uuencode: "M" and 60 characters, no lower case, at least 8 of them neither letter nor space.
_UUENCODED = re.compile(r"^[>|: \t]*+M(?=[ -`]{60}[ \t]*+$)(?:[^!-@\[-`\n]*+[!-@\[-`]){8}[^\n]*+$", re.MULTILINE)
_UUENCODED_STARTS = ("\nM", "\n>M", "\n> M")
# A piece of base64, as in attachments and keys.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{50,}+={0,2}")


def remove_markup(text: str) -> str:
    """Return a text without HTML tags, comments, scripts and styles, with entities decoded.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text that a browser would show.

    Examples
    --------
    >>> remove_markup("<p>Fish &amp; <b>ch</b>ips<br>of <BP></p><script>var x</script>").split()
    ['Fish', '&', 'chips', 'of', '<BP>']
    """
    if "<" in text:
        for start, end in _HIDDEN:
            text = _without_spans(text, start, end)
        text = _TAG.sub(_replaced_tag, text)
    return html.unescape(text) if "&" in text else text


def _without_spans(text: str, start: str, end: str) -> str:
    """Return a text without the spans between two marks, in any case. A span that never ends is kept."""
    lowered = text.lower() if start in text or start.upper() in text else ""
    if start not in lowered or len(lowered) != len(text):  # lower case may be longer in other scripts
        if start not in text:
            return text
        lowered = text
    parts, position = [], 0
    while (begin := lowered.find(start, position)) >= 0 and (stop := lowered.find(end, begin + len(start))) >= 0:
        parts.append(text[position:begin])
        close = lowered.find(">", stop)
        position = close + 1 if close >= 0 else len(text)
    return " ".join([*parts, text[position:]]) if parts else text


def _replaced_tag(tag: re.Match[str]) -> str:
    mark, name, rest = tag[1], tag[2].lower(), tag[3]
    if name in _INLINE and (not rest or rest[0] in " \t\n/"):
        return ""
    is_tag = name in _BLOCK and (not rest or rest[0] in " \t\n/")
    return " " if is_tag or mark or "=" in rest or rest.endswith("/") else tag[0]


def remove_addresses(text: str) -> str:
    """Return a text without URLs, e-mail addresses and names of hosts.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> remove_addresses("see https://a.org/x?y or ask (joe@b.edu), ftp.uu.net and c.com/z today").split()
    ['see', 'or', 'ask', '(', '),', 'and', 'today']
    """
    if len(text) >= 50 and _BASE64.search(text):
        text = " ".join("" if _BASE64.fullmatch(piece) else piece for piece in text.split(" "))
    if ":" in text or "www." in text or "WWW." in text:
        text = _URL.sub(" ", text)
    if "@" in text:
        text = _EMAIL.sub(" ", text)
    return _HOST.sub(" ", text) if "." in text else text


def remove_mail_noise(text: str) -> str:
    r"""Return a text without mail headers, lines that name the author of a quotation, and encoded attachments.

    The values of Subject, Summary and Keywords are kept, and so is quoted text.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> remove_mail_noise("From: a@b.c\nSubject: Re: Mars\nNntp-Posting-Host: b\n\nJoe writes:\n> Is it red?\nYes.")
    'Re: Mars\n\n\n> Is it red?\nYes.'
    """
    text = _without_headers(text)
    if _ARTICLE in text or any(mark in text for mark in _ATTRIBUTIONS):
        text = "\n".join("" if _is_attribution(line) else line for line in text.split("\n"))
    return _UUENCODED.sub("", text) if any(start in text for start in _UUENCODED_STARTS) else text


def _is_attribution(line: str) -> bool:
    return len(line) <= _LONGEST_ATTRIBUTION and (line.rstrip().endswith(_ATTRIBUTIONS) or _ARTICLE in line)


def _without_headers(text: str) -> str:
    """Return a text without a block of mail headers at its start."""
    if not _HEADER_LINE.match(text):
        return text
    kept: list[str] = []
    names: list[str] = []
    position = 0
    for _ in range(_MAX_HEADER_LINES):
        end = text.find("\n", position)
        line = text[position:] if end < 0 else text[position:end]
        header = _HEADER_LINE.match(line)
        if header:
            names.append(header[0][:-1].lower())
            if names[-1] in _KEPT_HEADERS:
                kept.append(line[header.end() :].strip())
        elif line[:1] not in (" ", "\t") or not line.strip():
            break
        position = len(text) if end < 0 else end + 1
        if end < 0:
            break
    is_mail = len(names) >= 2 and len(_MAIL_HEADERS & set(names)) >= 1
    return "\n".join([*kept, text[position:]]) if is_mail else text
