"""How far a question about a figure says what the figure is: the relations it states, the points it does not place."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Description(NamedTuple):
    """What a question says of its figure.

    relations: each distinct relation that it states, as the text has it, in order of appearance.
    shapes: the names of the figures in it, such as △ABC or ⊙O.
    points: the points that the question and its options name, in order of appearance.
    unplaced: those of them that no relation places.
    unsaid: those that only what is asked, or an option, names.
    leans: the first words by which the question sends one to the picture, None where there are none.
    """

    relations: tuple[str, ...]
    shapes: tuple[str, ...]
    points: tuple[str, ...]
    unplaced: tuple[str, ...]
    unsaid: tuple[str, ...]
    leans: str | None

    def suffices(self, least_relations: int) -> bool:
        """Whether the figure could be drawn from it, or from it and a fact or two that a person adds."""
        return (
            self.leans is None
            and not self.unsaid
            and 2 * len(self.unplaced) <= len(self.points)
            and len(self.relations) >= least_relations
        )


LONGEST = 2000
"""Characters; GeoQA+'s longest question has some 300."""

_POINT = r"[A-Z](?:_?\d)?'*"
_POINTS = re.compile(_POINT)
_NAME = rf"(?:{_POINT}){{1,8}}"
_NAMES = (
    rf"{_NAME}(?:(?:[、和与] ?| and |, and |, ?(?={_NAME}(?! ?(?:[A-Z'=⊥∥≌∽是为交平切]|is\b|lies\b)))){_NAME}){{0,12}}"
)
_SIDE = rf"(?:[∠⌒△▱S]|四边形|弧|边|弦|线段|tan|sin|cos|\d)*(?:{_POINT}){{1,6}}"
_VALUE = r"(?:(?! and )[^=,。;:()∥⊥≌∽、且和与若则那]){1,24}"

_COMMANDS = {
    r"\\{1,2}angle": "∠",
    r"\\{1,2}odot": "⊙",
    r"\\{1,2}(?:triangle|Delta)": "△",
    r"\\{1,2}parallel": "∥",
    r"\\{1,2}perp": "⊥",
    r"\^?\{?\\{1,2}circ\}?": "°",
    r"\\{1,2}(?:cong)": "≌",
    r"\\{1,2}sim": "∽",
    rf"(?:\\{{1,2}}(?:widehat|overset\{{?frown\}}?|wideparen|overarc)|⁀|⌒) ?\{{? ?({_NAME}) ?\}}?": r"⌒\1",
    r"\\{1,2}[dt]?frac ?\{ ?([^{}]*) ?\} ?\{ ?([^{}]*) ?\}": r"\1/\2",
    r"\\{1,2}sqrt|√ ?": "√",
    r"\\{1,2}[a-zA-Z]+": " ",
    r"[$~{}]": "",
    r"(?<=\d)\.(?=\d)": "·",
    r"[.．。!?？！]+": "。",
    r"[′’＇]": "'",
    r"[﹣−–—]": "-",
    r"∶": ":",
    r"//": "∥",
    r"平行四边形(?=[A-Z])": "▱",
    r"圆(?=[A-Z](?![A-Z]))": "⊙",
    r"\(( ?-?[\d√·/]+ ?), ?(-?[\d√·/]+ ?)\)": r"(\1|\2)",
}
_PLAIN = tuple((re.compile(written), plain) for written, plain in _COMMANDS.items())

_KINDS = (
    "Rt△|△|▱|⊙|四边形|长方形|矩形|菱形|正方形|(?:直角|等腰)?梯形|正?[五六七八]边形|正?三角形|等边三角形|等腰三角形|直角三角形"
    "|等腰直角三角形|扇形|半圆"
    "|(?:[Rr]ight |[Ii]sosceles |[Ee]quilateral |[Rr]egular )?(?:[Tt]riangles?|[Qq]uadrilaterals?|[Rr]ectangles?"
    "|[Rr]hombus(?:es)?|[Ss]quares?|[Pp]arallelograms?|[Tt]rapezoids?|[Tt]rapeziums?|[Pp]entagons?|[Hh]exagons?"
    "|[Cc]ircles?|[Ss]ectors?)"
)
_SHAPE = re.compile(rf"(?P<kind>{_KINDS}) ?(?P<name>{_NAME})(?![a-z])")

_WHERE = re.compile(
    r"(?<![等大小位由关])于|过点|[边上线内外]上|[边线圆弧角段形]上|[A-Z]上|上(?:一点|的点|一动点|任意一点|异于|有)|上[A-Z]|中点|等分点|直径|半径|弦|相?切"
    r"|中线|中位线|中垂线|垂足|延长|的高|圆心|外接|内接|重合|落在|对称|同一|直线[A-Z]|线段[A-Z]|射线[A-Z]|内心|外心|顶点"
    r"|角平分线|平分线|对角线|交点|使得?[A-Z]"
    r"|(?i:\b(?:lies?|on|intersects?|meets?|midpoints?|diameters?|radius|radii|chords?|tangents?|tangency|at|cent(?:er|re)s?"
    r"|altitudes?|foot|feet|medians?|extend(?:ed|s|ing)?|extension|inscribed|circumscribed|collinear|lines?|segments?"
    r"|rays?|diagonals?|bisectors?|perpendicular from|midsegment|incenter|circumcenter)\b)"
)
"""Words by which a clause says where its points are; a length or an angle alone does not."""

_PARALLEL = re.compile(rf"({_NAME}) ?(?:∥|平行于| is parallel to | parallel to ) ?({_NAME})")

_COORDINATE = re.compile(rf"({_NAME}) ?\([^()|]+\|")
_ENDS_NAMED = re.compile(rf"{_NAME} ?$")
_BEGINS_NAMED = re.compile(rf" ?(?:and |和|与)?点?{_NAME}(?![a-z])")
_BARE = re.compile(rf" ?(?:and )?点?{_NAME}(?:[、和与]{_NAME})* ?(?:[两三四]点|分别)?$")
_SAID = re.compile(r"[=∥⊥≌∽°]|平分|bisects|parallel|perpendicular")
_MEASURED = re.compile(r"=|面积|周长|\b(?:area|perimeter)\b")

_RELATIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_SIDE} ?[=:] ?{_VALUE}(?==|:)",
        rf"{_SIDE} ?= ?{_VALUE}",
        rf"{_SIDE}(?:的?(?:度数|长度?|面积|周长|大小|半径|直径|边长))?(?:等于|为|是) ?[\d√π][^,。;()]*",
        r"(?:半径|直径|周长|面积|边长|距离|母线长?|高|宽|长)(?:R|r)?(?:分别)?(?:等于|为|是|=) ?[\d√π][^,。;()]*",
        rf"(?:{_NAME}|[a-z]\d?) ?∥ ?(?:{_NAME}|[a-z]\d?)",
        rf"{_NAME} ?(?:⊥|垂直平分|垂直于|垂直) ?(?:弦|直线|半径|边)?{_NAME}",
        rf"(?:△|四边形)?{_NAME} ?[≌∽] ?[△▱四边形]*{_NAME}",
        rf"(?<![⊙△▱形A-Z]){_NAMES}[^,。;]{{0,6}}(?:直径|半径|弦|切线|割线|高线?|中线|中位线|角?平分线|垂直平分线|中垂线|对角线)",
        rf"(?:直径|半径|弦|对角线|切线|高|中线|角平分线|斜边)(?:为)?{_NAMES}",
        rf"(?:直径|半径|弦|直线|射线|线段|圆)?{_NAMES}?[^,。;]{{0,6}}?相?切[^,。;]{{0,8}}",
        r"外接圆|内接于|内切圆|同心圆|外切|内心|外心|内接四边形",
        rf"(?<![⊙△▱形A-Z]){_NAMES}[^,。;]{{0,12}}(?:中点|[三四五]等分点)",
        rf"{_NAME}平分 ?∠?{_NAME}",
        rf"{_NAMES}(?:[^,。;]{{0,4}})在[^,。;]{{1,14}}上",
        rf"{_NAMES}[^,。;]{{0,4}}[是为][^,。;]{{1,12}}上(?:的?)(?:任意|异于|不同)?[^,。;]{{0,6}}点",
        rf"(?:{_NAMES}|平分线|延长线)[^,。;]{{0,6}}交[^,。;]{{0,14}}于(?:点)?{_NAMES}",
        rf"(?<![等大小位由关])于点?{_NAME}(?:[,、和与][A-Z]'?(?![A-Z'=⊥∥≌∽交平为是]))*",
        rf"延长{_NAME}|{_NAME}的延长线",
        r"同一条?直线",
        r"折叠|翻折|对折|平移|旋转|对称",
        rf"圆心为?{_NAME}|{_NAME}为?圆心",
        rf"{_NAME} ?\([^()|]+\|[^()|]+\)",
        # English
        rf"{_SIDE} (?:is equal to|equals|is|measures) [\d√][^,。;]*",
        rf"{_NAMES} (?:is|are) (?:an? |the )?(?:diameters?|radius|radii|chords?|tangents?|medians?|altitudes?"
        r"|midpoints?|bisectors?|centers?|centres?|diagonals?)",
        rf"(?:diameter|radius|chord|tangent|median|altitude|midpoint|cent(?:er|re)|diagonal) {_NAMES}",
        rf"{_NAMES} (?:is|are) (?:perpendicular|parallel|tangent|congruent|similar|equal) (?:to|at) [^,。;]{{1,20}}",
        rf"{_NAMES} (?:bisects?|is the bisector of|is the midpoint of) [^,。;]{{1,20}}",
        rf"(?:{_NAMES} )?(?:lies?|is|are|be|any) (?:a )?(?:points? )?on [^,。;]{{1,24}}",
        rf"\bat (?:the )?(?:points? )?{_NAMES}(?![a-z])",
        rf"{_NAMES} are (?:parallel|perpendicular|congruent|similar|equal|collinear)",
        r"inscribed in|circumscribed about|collinear|folded|rotated|translated|reflected",
    )
)

_LEANS = re.compile(
    r"∠ ?(?:\d|[α-ω])|阴影|图中|三视图|结构图|图形中|[如按].{0,3}图.{0,4}(?:摆放|放置|叠放|方式|位置|折叠|组成|排列|拼)"
    r"|三角板|三角尺|直尺|纸带|虚线|shaded|in the (?:figure|picture|diagram) (?:is|are)|as it is placed|\bdashed\b"
    r"|(?<![a-zA-Z])(?:the (?:quadrilateral|triangle|figure|circle|polygon)) is"
)
"""Words that only the picture explains: numbered angles, shaded parts, things laid as shown."""

_TARGET = re.compile(
    r"[,。;]?(?:则|那么|求|问|试求|\b[Tt]hen\b|\b[Ff]ind\b|\b[Ww]hat\b|\b[Dd]etermine\b|\b[Cc]alculate\b)"
)
_ENGLISH_WORDS = re.compile(r"\b(?:A(?= [a-z])|I\b|[A-Z][a-z]+)|Rt(?=△)|S(?=[△▱四菱矩正阴五六\d(])")


def description(question: str, choices: Sequence[str] = ()) -> Description:
    """What a question, Chinese or English, says of its figure, by rules that look at its words alone.

    The target is what follows the last of 则, 那么, 求, then, find, what; where none is there, the last clause. Stated
    is what comes before. A relation is one of: an equality of lengths, angles, arcs, areas or ratios; parallel,
    perpendicular, congruent, similar; diameter, radius, chord, tangent; midpoint, median, altitude, bisector;
    on a line or circle, an intersection, an extension; inscribed or circumscribed; folded, moved; a coordinate; a named
    shape. Each is counted once.

    A point is placed by the name of a shape, by the first pair of parallels, or by standing in a clause that says
    where something is (on, at, midpoint, diameter, tangent, meets ...); a length or an angle alone places none.

    Of 327 real questions of GeoQA and GeoQA+, 239, 235, 221, 174 and 109 suffice for 1 to 5 relations. Of 30 drawn from
    the 221, read by a language model, 23 can be drawn as they stand, 5 more once a person adds a fact or two, 2 not.

    Source: arXiv:2412.12932, C.2: "we solely select samples where the question contains detailed and accurate
    descriptions of the image content". The rule is this project's; people judged there.
    """
    if len(question) > LONGEST:
        return Description((), (), (), (), (), f"more than {LONGEST} characters")
    text = plain(question)
    stated = _stated(text)
    shapes: dict[str, str] = {}
    for found in _SHAPE.finditer(text):
        shapes.setdefault(found["name"], _short(found))
    relations = [found[0] for found in _SHAPE.finditer(stated)]
    for relation in _RELATIONS:
        relations.extend(found[0].strip(" ,") for found in relation.finditer(stated))
    placed = set(_placed(stated))
    named = tuple(dict.fromkeys(point for part in (text, *map(plain, choices)) for point in _points(part)))
    said = {*_points(stated), *placed}
    leans = _LEANS.search(text)
    asks = _TARGET.search(text) or re.search(r"\( *\)|[?？]|_{2}", question.replace("（", "(").replace("）", ")"))
    return Description(
        _distinct(stated, relations),
        tuple(shapes.values()),
        named,
        tuple(point for point in named if point not in placed),
        tuple(point for point in named if point not in said),
        leans[0] if leans else None if asks else "it asks nothing",
    )


def plain(text: str) -> str:
    """The text with one way of writing for each sign: ∠ △ ⊙ ∥ ⊥ = , ( ) and `。` between sentences."""
    text = unicodedata.normalize("NFKC", text.replace("．", "。").replace("﹣", "-"))
    for written, one in _PLAIN:
        text = written.sub(one, text)
    return text


def _stated(text: str) -> str:
    """The part that comes before what is asked."""
    found = list(_TARGET.finditer(text))
    if found:
        return text[: found[-1].start()]
    clauses = re.split(r"[,。;]", text.rstrip(" 。,;()"))
    return text[: len(text.rstrip(" 。,;()")) - len(clauses[-1])]


def _placed(stated: str) -> Iterator[str]:
    clauses = _clauses(stated)
    shaped = False
    for clause in clauses:
        for shape in _SHAPE.finditer(clause):
            if not shaped or not _MEASURED.search(clause):
                yield from _points(shape["name"])
            shaped = True
        if _WHERE.search(clause):
            yield from _points(clause)
        elif (parallel := _PARALLEL.search(clause)) and not shaped:
            yield from _points(parallel[0])
        yield from (point for name in _COORDINATE.findall(clause) for point in _points(name))
        shaped = shaped or bool(_WHERE.search(clause) or _PARALLEL.search(clause))


def _clauses(stated: str) -> list[str]:
    """The clauses between commas and full stops; a list of names that commas part is one with what is said of it."""
    joined: list[str] = []
    for clause in re.split(r"[,。;]", stated):
        before = joined[-1] if joined else ""
        named = _ENDS_NAMED.search(before)
        goes_on = _BARE if _WHERE.search(before) else _BEGINS_NAMED
        if named and not _SAID.search(before) and goes_on.match(clause):
            joined[-1] = f"{before}、{clause}"
        else:
            joined.append(clause)
    return joined


def _points(text: str) -> list[str]:
    return _POINTS.findall(_ENGLISH_WORDS.sub(" ", text))


def _short(shape: re.Match[str]) -> str:
    return f"{shape['kind']}{shape['name']}" if not shape["kind"].isascii() else f"{shape['kind']} {shape['name']}"


def _distinct(stated: str, relations: list[str]) -> tuple[str, ...]:
    """The relations in order of appearance; one that lies within another is the same one."""
    once = sorted(dict.fromkeys(relations), key=lambda each: (stated.find(each), -len(each), each))
    kept: list[str] = []
    end = -1
    for each in once:
        start = stated.find(each)
        if start + len(each) > end:
            kept.append(each)
            end = start + len(each)
    return tuple(kept)
