"""What is wrong with a text: words, openings, and sentences that are too long."""

import re

# Words of which the field has a better one, and that one. Looked for in prose only: code in a text may be called anything.
WORDS = {
    r"(?:go|goes|going|gone|went|taken|takes|taking) back(?! to sleep)": "revert, roll back, return",
    r"(?:leads?|leading|led)(?: back)? to": "references, points to, is the inverse",
    r"leads? back": "is the inverse",
    r"the other sides?": "the inverse",
    r"(?:is|are|was|were|be|being|been) told": "is notified",
    r"tells?|telling": "notifies, reports, describes",
    r"hears?": "receives, is notified",
    r"becomes? (?:read|whole)": "is loaded",
    r"shells?": "unloaded reference",
    r"(?:takes?|taking|taken) down": "captures",
    r"anew": "again, rebuilds",
    r"fronts?(?! end)(?!-end)": "store, store instance",
    r"forg(?:ets?|etting|otten|ot)": "unloads, discards, removes",
    r"recogni[sz](?:e|es|ed|ing)": "identifies, resolves the identity",
    r"findings?": "issue, match, row",
    r"caretakers?": "background maintenance",
    r"upkeep": "background maintenance",
    r"nobody|nobody's|somebody|somebody's": "no observer, another process, the caller",
    r"(?:he|him|his|she|her)": "it, the caller",
    r"dies|died": "is deallocated",
    r"(?:lives|lived)(?! in| on)": "is live",
    r"lifelines?": "token, owner",
    r"looks? at|looked at|looking at": "reads, checks",
    r"asks?|asked|asking": "queries, calls, requests",
    r"says|said": "returns, declares, reports, describes",
    r"former": "previous, earlier; the values of a revert are the baseline",
    r"a mere reference": "unloaded reference",
    r"(?:comes?|came|coming) and (?:goes?|went|going)": "is added and removed",
    r"a world of|long (?:life|lives)": "fault injection, randomized history",
    r"lent (?:room|space)|(?:reserved|spare) room|room (?:on|for)": "preallocated space, space",
    r"passages?|spots?": "the word of the field",
    r"(?:also not|(?<=, )also (?:of|in|if|by|to|for|one|those))": "even, including, not even",
}
OPENINGS = ("What", "Who", "Whose", "Which", "Those", "Says")
# Openings of a sentence that has to be read twice, because its subject or its verb comes late.
LATE_SUBJECT = r"So (?:do|does|did|is|are|was|were|has|have|can) |Nil: |Of (?:equal|several|two|many) "
PRONOUNS = ("It", "Its", "They", "Their", "This", "These")
MOST_WORDS = 25
WIDEST_SAMPLE = 80

_WORDS = [(re.compile(rf"(?<![\w'-]){pattern}(?![\w'])", re.IGNORECASE), better) for pattern, better in WORDS.items()]
_CODE = re.compile(r"``[^`]*``|`[^`]*`|<doc:[^>]*>|https?://[^\s)]+")
# Stands for a piece of code, with which a sentence may begin.
_PLACEHOLDER = "\N{REPLACEMENT CHARACTER}"
_SENTENCE_END = re.compile(rf"(?<=[.!?:;])\s+(?=[A-Z*`(\d])|(?<=[.!?])\s+(?={_PLACEHOLDER})|(?<=[.!?])$")
_LATE_SUBJECT = re.compile(LATE_SUBJECT)
_TEST = re.compile(r"func `([^`]*)`")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def plain(text):
    """The text without code and markup; a piece of code counts as one word."""
    text = _CODE.sub(_PLACEHOLDER, text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def faults_of_words(text, line):
    for pattern, better in _WORDS:
        for match in pattern.finditer(plain(text)):
            yield line, match[0], f"'{match[0]}': better {better}"


def faults_of_sentences(lines):
    """Sentences that are too long, in the lines of one paragraph: pairs of number and text."""
    text, starts = "", []
    for number, line in lines:
        starts.append((len(text), number))
        text += plain(line).strip() + " "
    position = 0
    for sentence in _SENTENCE_END.split(text):
        count = len(sentence.split())
        start = text.find(sentence, position)
        line = max(number for offset, number in starts if offset <= max(start, 0))
        opening = sentence.strip()[:60].replace(_PLACEHOLDER, "x")
        if count > MOST_WORDS:
            yield line, "long sentence", f"a sentence has {count} words, {MOST_WORDS} at most: {opening}…"
        if _LATE_SUBJECT.match(sentence.strip()):
            yield line, "late subject", f"a sentence begins with a word that needs the one before: {opening}…"
        position += len(sentence)


def _paragraphs(lines):
    """Splits lines at empty ones, at bullets and headings; leaves out fenced code and tables."""
    paragraph, is_code, is_hidden = [], False, False
    for number, line in lines:
        stripped = line.strip()
        if is_hidden or stripped.startswith("<!--"):
            is_hidden = not stripped.endswith("-->")
            stripped = ""
        if stripped.startswith(("```", "~~~")):
            is_code = not is_code
            stripped = ""
        if is_code or not stripped or stripped.startswith(("|", "#")):
            if paragraph:
                yield paragraph
            paragraph = []
            if is_code or not stripped:
                continue
            yield [(number, stripped.replace("|", ". "))]
            continue
        if re.match(r"(?:[-*+]|\d+\.)\s", stripped) and paragraph:
            yield paragraph
            paragraph = []
        paragraph.append((number, stripped))
    if paragraph:
        yield paragraph


def faults_of_swift(text):
    block, is_documentation = [], False
    lines = text.splitlines() + [""]
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        comment = re.match(r"(///?)(?: (.*))?$", stripped)
        if comment and comment[1] == "///":
            block.append((number, comment[2] or ""))
            is_documentation = True
            continue
        if block and is_documentation:
            yield from _faults_of_documentation(block)
        if comment:
            if is_documentation:
                block, is_documentation = [], False
            block.append((number, comment[2] or ""))
            continue
        if block and not is_documentation:
            yield from _faults_of_documentation(block)
        block, is_documentation = [], False
        test = _TEST.search(stripped)
        if test:
            name = test[1]
            yield from faults_of_words(name, number)
            if name[:1].islower() or name.split(" ")[0] in PRONOUNS:
                yield number, name, f"the test name is no sentence without its suite: {name}"
        else:
            # Messages: strings with a space in them.
            for string in _STRING.findall(stripped):
                if string.count(" ") >= 2:
                    yield from faults_of_words(re.sub(r"\\\([^)]*\)", "x", string), number)


def faults_of_script(text):
    """The words in comments and messages of a script in Python, the shell or JavaScript."""
    for fault in _faults_of_script(text):
        # The shell of a script is the word of the field.
        if not fault[1].lower().startswith("shell"):
            yield fault


def _faults_of_script(text):
    is_text = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        marks = stripped.count('"""')
        comment = re.match(r"(?:#(?!!)|//|/?\*+)\s*(.*)", stripped)
        if is_text or marks or comment:
            yield from faults_of_words(comment[1] if comment else stripped, number)
        else:
            for string in _STRING.findall(stripped):
                if string.count(" ") >= 2:
                    yield from faults_of_words(re.sub(r"\$?\{[^}]*\}", "x", string), number)
        is_text ^= marks % 2 == 1


def _faults_of_documentation(block):
    number, first = block[0]
    opening = first.split(" ")[0]
    if opening in OPENINGS:
        yield number, opening, f"a comment opens with '{opening}'"
    yield from _faults_of_samples(block)
    for paragraph in _paragraphs(block):
        for number, line in paragraph:
            yield from faults_of_words(line, number)
        yield from faults_of_sentences(paragraph)


def faults_of_markdown(text):
    for paragraph in _paragraphs(list(enumerate(text.splitlines(), 1))):
        for number, line in paragraph:
            yield from faults_of_words(line, number)
        if not paragraph[0][1].startswith("#"):
            yield from faults_of_sentences(paragraph)


def faults_of_samples(text):
    """The lines of fenced code that are wider than the boxes of the documentation site."""
    yield from _faults_of_samples(enumerate(text.splitlines(), 1))


def _faults_of_samples(lines):
    is_code = False
    for number, line in lines:
        if line.strip().startswith(("```", "~~~")):
            is_code = not is_code
        elif is_code and len(line) > WIDEST_SAMPLE:
            yield number, "wide sample", f"a line of a sample has {len(line)} characters, {WIDEST_SAMPLE} at most"


def faults_of_changelog(text):
    start, length = 0, 0
    for number, line in enumerate(text.splitlines() + ["- "], 1):
        if line.startswith("- "):
            if length > 2:
                yield start, "long bullet", f"a bullet has {length} lines, two at most"
            start, length = number, 1
        elif line.startswith("  ") and length:
            length += 1
        else:
            length = 0
