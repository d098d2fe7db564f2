"""The words the strict grammar knows: the one list of cues, and what may stand around them.

Everything here is matched against lower-cased text. A stem is what `str.find` looks for; its tail is what may
follow the stem before the cue ends.

Source: the strict grammar, rule 4 (cues, gap, cancelling) and rule 8 (negation).
"""

import re
from typing import NamedTuple

# Latin letters and digits, accents and Cyrillic included: a cue in these scripts ends where a word ends.
WORD = "a-z0-9à-ɏа-яё"
_END = f"(?![{WORD}])"


class Cue(NamedTuple):
    """A word that announces an answer.

    stem: the lower-case text searched for. tail: a pattern for the rest of the cue. full: the cue declares by
    itself; otherwise ("option C") it needs a modifier, a verb or a colon. glued: the script has no word breaks.
    """

    stem: str
    tail: str = ""
    full: bool = True
    glued: bool = False


_QUESTION = r"(?:\s+(?:to|for|of)\s+(?:the|this|that|your|our)\s+(?:\w+\s+)?(?:question|problem|task|item|quiz))?"
_ADJECTIVE = r"(?:\s+(?:correcta|correcte|corretta|giusta|correta|certa|finale?|definitiva|juste|exacte))?"

CUES: tuple[Cue, ...] = (
    Cue("answer", r"(?:(?:s|\(s\))?(?:\s+(?:choice|option|letter))?)" + _QUESTION),
    Cue("ans:", r"(?<![a-z]ans:)", glued=True),
    Cue("ans.", r"(?<![a-z]ans\.)\s*:", glued=True),
    Cue("option", r"(?:\(s\))?" + _ADJECTIVE, full=False),
    Cue("choice", r"(?:\(s\))?", full=False),
    Cue("response", _QUESTION, full=False),
    Cue("conclusion"),
    Cue("choose", "s?"),
    Cue("choosing"),
    Cue("chose", "n?"),
    Cue("select", "(?:s|ed|ing)?"),
    Cue("pick", "(?:s|ed|ing)?"),
    Cue("go with"),
    Cue("goes with"),
    Cue("going with"),
    Cue("went with"),
    Cue("\\boxed", glued=True),
    Cue("\\fbox", glued=True),
    Cue("elijo"),
    Cue("escojo"),
    Cue("choisis"),
    Cue("wähle"),
    Cue("scelgo"),
    Cue("escolho"),
    Cue("выбираю"),
    Cue("respuesta", _ADJECTIVE),
    Cue("reponse", _ADJECTIVE),
    Cue("antwort"),
    Cue("antwoord"),
    Cue("risposta", _ADJECTIVE),
    Cue("resposta", _ADJECTIVE),
    Cue("losung"),
    Cue("loesung"),
    Cue("opcion", _ADJECTIVE, full=False),
    Cue("opzione", _ADJECTIVE, full=False),
    Cue("réponse", _ADJECTIVE),
    Cue("lösung"),
    Cue("opción", _ADJECTIVE, full=False),
    Cue("opção", _ADJECTIVE, full=False),
    Cue("ответ"),
    Cue("答案", glued=True),
    Cue("选", "(?:项|择|擇)?", glued=True),
    Cue("選", "(?:項|擇|択肢?|ぶ)?", glued=True),
    Cue("答え", glued=True),
    Cue("回答", glued=True),
    Cue("答", r"\s*(?=:)", glued=True),
    Cue("正解", glued=True),
    Cue("解答", glued=True),
    Cue("结论", glued=True),
    Cue("結論", glued=True),
    Cue("정답", glued=True),
    Cue("답", "변?", glued=True),
)
# The cues in groups that hold a piece of text in common: a reply without the piece is asked once for the group.
_PIECES = ("answer", "option", "cho", "resp", "conclusion", "select", "pick", " with", "\\")
_GROUPED = {cue.stem: next((piece for piece in _PIECES if piece in cue.stem), cue.stem) for cue in CUES}
ALL_CUES: tuple[tuple[str, tuple[Cue, ...]], ...] = tuple(
    (piece, tuple(cue for cue in CUES if _GROUPED[cue.stem] == piece)) for piece in dict.fromkeys(_GROUPED.values())
)
ASCII_CUES = tuple((piece, group) for piece, group in ALL_CUES if piece.isascii())
CUE_TAILS = {cue.stem: re.compile(cue.tail + ("" if cue.glued else _END)) for cue in CUES}

# "the correct option" declares where a mere "option" does not.
MODIFIED = re.compile(
    r"(?:final|correct|best|right|chosen|selected|correcta|mejor|bonne|meilleure|richtige|beste|migliore|melhor)"
    r"[\s*_\"')\]]+\Z"
)

# What may stand between cue and letter: punctuation and wrappers, or one of these words.
GAP_MARKS = re.compile(r"[\s:.,;!?=>\-–—~*_`\"'“”‘’«»„\[\](){}<|#$…·•、。→⇒➡\ufe0f✓✔☑✅👉]+")
GAP_MARKUP = re.compile(
    r"\\(?:text\w*|math\w*|boldsymbol|boxed|fbox|bf|rm|it|sf|displaystyle|quad|qquad|left|right|large|[ ,;:!()\[\]])\*?"
    r"|</?[a-z][^<>\n]{0,40}>"
)
_VERBS = (
    r"is|was|are|were|be|(?:would|must|should|will|could|can|may|might)\s+(?:(?:most|very)\s+)?(?:\w+ly\s+)?(?:have\s+to\s+)?be|remains?|has\s+to\s+be|(?:seems?|appears?)(?:\s+to\s+be)?"
    r"|es|sería|seria|está|est|serait|sera|ist|wäre|lautet|è|é|sarebbe|is\s+dus|это|является"
)
_ARTICLES = r"the|an?|el|la|los|las|le|les|l'|der|die|das|il|lo|o|os|um|uma|un|una|une|ein|eine"
_NOUNS = (
    r"option|choice|letter|answer|statement|response|opción|opcion|letra|lettre|lettera|buchstabe|alternative"
    r"|alternativa|opzione|opção|буква|вариант"
)
_HEDGES = (
    r"definitely|probably|(?:most|very)\s+(?:likely|probably)|likely|clearly|certainly|surely|perhaps|maybe|possibly"
    r"|obviously|indeed|either|both|therefore|thus|hence|simply|just|only|actually|probablemente|probablement|wahrscheinlich"
    r"|probabilmente|provavelmente|вероятно"
)
GAP_WORDS = re.compile(
    f"(?:{_VERBS}|{_ARTICLES}|{_NOUNS}|{_HEDGES}){_END}"
    r"|应该|應該|应当|可能|大概|一定|肯定|就是|只能|是|为|為|应|應|选项|選項|选择|选|選|项|項|は|が|です|은|는|이|가"
)
VERB_OR_COLON = re.compile(f"(?<![{WORD}])(?:{_VERBS}){_END}|[:=]|是|为|為|は")

# The left half of "B must be the right answer", ending where the verdict begins.
VERDICTS = ("correct", "right", "best", "answer", "richtig", "giusta")
GLUED_VERDICTS = ("正确", "正確", "正解", "对的")
VERDICT_VERB = re.compile(
    r"(?<![^\s)\]}*_\"'`$.:])(?:is|was|must\s+be|should\s+be|would\s+be|will\s+be|has\s+to\s+be|seems?(?:\s+to\s+be)?"
    r"|appears?\s+to\s+be|looks|es|est|ist|è|é)"
    r"\s+(?:(?:the|my|our|a|la|le|die)\s+)?(?:(?:most|only|clearly|definitely|probably|likely|final)\s+)*\Z"
)
GLUED_VERDICT_VERB = re.compile(r"(?:选项|選項|项|項)?\s*(?:是|为|為|才是|最|が)?\s*\Z")
# "B is right next to the lamp" and "A is the best known lake" judge no answer.
VERDICT_IS_ADVERB = re.compile(
    r"right\s+(?!(?:answer|option|choice|one|response|letter|statement|because|since|as|given|based|for|and|but|so"
    r"|here|according|from|if)\b)[a-z]|right-|best[\s-]+(?:known|seen|friend|selling|before|of)"
)

# "None of A, B, C is correct", and the words a questioned verdict may end with.
ONE_OF = re.compile(r"(?<![a-z])(?:none|neither|which|any|one|either|whether)\s+(?:of|between)\s[^.;\n]*\Z")
VERDICT_ENDS = re.compile(r"[a-z]+(?:\s+(?:answer|option|choice|response|one|letter))?")
# "If it rained, B would be right": what would be so is not what is.
HYPOTHETICAL = re.compile(r"(?<![a-z])(?:would|might|could)\s+(?:have\s+)?be")
CONDITION = re.compile(r"(?<![a-z])(?:if|had|unless|otherwise)(?![a-z])")
# "Vitamin C is best" is about the vitamin.
NAMED_WITH_A_LETTER = re.compile(
    r"(?<![a-z])(?:vitamin|hepatitis|type|group|class|grade|plan|team|gene|allele|angle|line|point|country|factor)\s\Z"
)

# What cancels a cue in the same clause.
CANCEL = re.compile(
    r"(?<![a-z])(?:not(?!\s+(?:only|just|surprisingly))|never|neither|nor|cannot|wrong(?:ly)?|in-?\s?correct(?:ly)?|in-"
    r"|whether|if|(?<!no )(?<!without )(?<!without a )(?<!beyond )doubt|doubtful|mistakenly|tempting|tempted"
    r"|(?:mistake|error|trap|pitfall|temptation)(?:\s+(?:here|is|was|would|be))*\s+(?:to|of|is|be|was)|unsure|false|falsche?|nicht|keine?|pas|incorrecte?a?|mauvaise|no\s+es|não|non|sbagliata|errata"
    r"|errada|equivocada)(?![a-z])"
    r"|n['’]t(?![a-z])|(?<![а-яё])не|错误|錯誤|不|并非|没|間違|아닌|오답"
)
# What negates an option or a letter that comes after it in the same clause.
NEGATION = re.compile(
    r"(?<![a-z])(?:not(?!\s+(?:only|just|surprisingly))|no(?!\s+(?:doubt|wonder|question))|never|neither|nor|cannot"
    r"|without(?!\s+(?:a\s+)?(?:doubt|question))|unlike|except|excluding|excludes?|rather\s+than|instead\s+of"
    r"|other\s+than|ruled?\s+out|ruling\s+out|eliminat(?:e|es|ed|ing)|reject(?:s|ed|ing)?|discard(?:s|ed|ing)?|wrong"
    r"|in-?correct|false|nicht|keine?[mnrs]?|ohne|pas|sans|nunca|não|non|senza|niet|geen)(?![a-z])"
    r"|n['’]t(?![a-z])|(?<![а-яё])(?:не|нет|кроме)(?![а-яё])|不是|不选|不選|不会|没有|沒有|并非|而非|除了|排除"
)
REACH_MARKS = ".;:,!?。、\n"
REACH_WORDS = re.compile(r"(?<![a-z])(?:but|so|then|thus|hence|therefore)(?![a-z])|而是|但|所以|因此|</answer")
# "Ruled out: (A), (C)": the colon hands the rejection on to what it lists.
REJECTED_LIST = re.compile(
    r"(?<![a-z])(?:rul(?:ed?|ing)\s+out|eliminated|excluded|rejected|discarded|wrong|incorrect|false|not|unlikely)"
    r"(?:\s+(?:are|is|options?|answers?|choices?|ones?))*\s*[*_]*:[^.;\n]*\Z"
    r"|(?:排除|错误|錯誤)(?:的|选项)*:[^。;\n]*\Z"
)
# "(A) is wrong", "B can't be": a rejection after the letter or the option.
REJECTED_AFTER = re.compile(
    r"[)\]}*_\"'`$]*\s*(?:"
    r"(?:is|was|are|were|would\s+be|seems?|looks?|must\s+be|appears?(?:\s+to\s+be)?|can\s+be)\s+"
    r"(?:\w+ly\s+|also\s+)?(?:not|wrong|in-?\s?correct|false|ruled\s+out|out|eliminated|excluded|impossible|unlikely"
    r"|irrelevant)(?![a-z])"
    r"|(?:is|was|are|were)n['’]t(?![a-z])|(?:cannot|can\s+not|can['’]t|could\s*n['o]t|couldn['’]t)\s+be(?![a-z])"
    r"|(?:does|do)(?:n['’]t|\s+not)\s+(?:fit|match|apply|work|make\s+sense|hold)(?![a-z])"
    r"|(?:[:=]|\.?\s*\(|[-–—]\s)\s*[*_]*(?:wrong|in-?correct|false|no|not\s+correct|ruled\s+out|eliminated|excluded)(?![a-z])"
    r"|不是|不对|不正确|错误|错|не(?![а-яё])|(?:es|est|ist|è|é)\s+(?:incorrecta?|incorrecte|falsch|faux|fausse|errata|errada)"
    r"|n['’]est\s+pas|ist\s+nicht|no\s+es|não\s+é|non\s+è)"
)

# A question about correctness: how it opens, and the tags that turn a statement into one.
QUESTION_OPENS = re.compile(
    r"(?:so|but|and|or|well|hmm|wait)?[\s,]*(?:is|are|was|could|can|would|might|may|does|do|did|should|isn['’]t|what\s+if)(?![a-z])"
)
QUESTION_TAG = re.compile(
    r"[)\]}*_\"'`$.]*\s*(?:,?\s*(?:right|correct|no|yes|or\s+not|maybe|perhaps|isn['’]t\s+it|is\s+it|ok|true))?\s*[*_)]*\?"
)

# "than option C", "while option C" mention it; elsewhere a bare "option C" that ends its clause declares.
MENTIONED = re.compile(
    r"(?<![a-z])(?:than|of|to|in|into|from|by|as|like|unlike|between|among|and|or|nor|while|where|whereas|both|either"
    r"|neither|when|about|at|on|see|consider|considering|checked|comparing|compare|only\s+looks\s+like)"
    r"[\s*_\"'`(\[#>]+(?:(?:the|my|our|la|el|l'|a|o)\s+)?\Z"
    # "(D) option C": the text of D, cut short or worded otherwise.
    r"|(?<![a-z0-9])[a-z][)\].:][*_]*\s*\Z"
)

# A closing clause: its opening, and what may stand between that and its one letter besides the gap's own words.
CLOSING = re.compile(
    r"(?<![a-z])(?:so|thus|hence|therefore|leaves|leaving|it\s+(?:is|must\s+be|has\s+to\s+be)|it['’]s)(?![a-z])"
    r"|所以|因此|故|而是|(?<![a-z])(?:sino|sondern)(?![a-z])"
)
CLOSING_WORDS = re.compile(
    r"(?:us|with|only|we|get|have|that|this|leaves|left|it|i|say|by\s+elimination|remaining|one)(?![a-z])"
)
CLAUSE_ENDS = re.compile(r"[)\]}*_\"'`$\s]*(?:[.!;]?[)\]}*_\"'`$]*\s*(?:\n|\Z)|[.!;]\s|。)")

# Words that cannot follow the article "a": after these the bare capital A is a letter.
FOLLOWS_A_LETTER = re.compile(
    r"(?:is|was|are|were|be|because|since|as|for|due|based|given|which|that|and|or|but|so|not|in|on|from|with|at|by|to|of"
    r"|here|if|when|where|while|would|must|should|could|can|cannot|will|may|might|has|have|had|does|do|did|seems?"
    r"|appears?|shows?|showing|than|then|therefore|thus|both|rather|instead|according|about|also|only|over|it|we|you"
    r"|the|this|these|those|there|i|my|porque|pues|ya|y|o|parce|car|et|ou|weil|denn|und|oder|perché|poiché|pois|e"
    r"|option|choice|answer)(?![a-z])"
)
JOINER = re.compile(
    r"[)\]}*_\"'`$>]*\s*(?P<mark>[,;/&+、|])?\s*(?:\\text\w*\{\s*)?"
    r"(?P<word>(?:and/or|and|or|y|et|ou|und|oder|и|или)(?![a-zа-я])|和|或者|或|以及|与|と)?"
    r"(?:\s*\})?(?:\s*(?:maybe|perhaps|possibly|probably|also|even|option|choice|letter|the|either)(?![a-z]))*"
    r"\s*(?:\\boxed|\\text\w*)?[(\[{*_\"'`$<]*"
)
SINGULAR_VERB = re.compile(
    r"[)\]}*_\"'`$]*\s*(?:is|was|isn['’]t|has|does|doesn['’]t|seems|shows|would|could|can|cannot|looks|may|might|must"
    r"|should|will|appears|being)(?![a-z])"
)
PLURAL_OR_END = re.compile(
    r"[)\]}*_\"'`$>]*\s*(?:\Z|[.,;:!?/&+、。\n)\]|]|(?:and|or|are|were|both|together|all|y|et|ou|und|oder|и|или)(?![a-zа-я])|和|或)"
)

REFUSAL = re.compile(
    r"(?:sorry|cannot|can\s?not|can['’]t|unable|not\s+possible|impossible|(?:not|won['’]t\s+be)\s+able|could\s+not"
    r"|couldn['’]t|don['’]t\s+have\s+(?:enough|the\s+ability)|not\s+enough\s+information)"
    r"[^.!?\n]{0,120}?(?<![a-z])(?:see|view|assist|help|determine|identify|answer|provide|access|process|analy[sz]e|tell|say)"
    r"(?![a-z])"
    r"|抱歉|对不起|對不起|无法(?:看|查看|确定|回答|识别|判断|提供)|申し訳|lo siento"
    r"|désolée?|tut mir leid|desculpe|mi dispiace|извините"
)
