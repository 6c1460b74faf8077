"""Statements of C++: declarations and assignments are carried out, scope by scope; all else is passed over."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import msgspec
from msgspec import field

from ...desc.levels import FeatureLevel
from ...errors import DmlvizError
from ...stopping import checkpoint
from .cpp_expressions import ARRAYS, TYPES, Expressions, NotThisError, computed
from .cpp_tokens import Tokens
from .cpp_values import (
    MOST_BLANK,
    MOST_ITEMS,
    Doubt,
    Items,
    Struct,
    Structs,
    Symbol,
    Unknown,
    Value,
    Variable,
    chain,
    copied,
    settled,
    words,
)

_QUALIFIERS = words("const static constexpr inline volatile extern register thread_local struct constinit")
_WIDE = words("unsigned signed long short int char")
_CONDITIONS = words("if for while switch")
_OPENERS = words("else do try")
_NO_DECLARATIONS = words("return throw case goto using template typedef class enum union namespace delete")
_ALIASES = words("TensorDimensions Dimensions TensorStrides")
"""Types that are arrays by their own name."""
MOST_SUSPECT = 400
"""Tokens of a statement that isn't followed that are looked at."""
MOST_DOUBTS = 8
"""Doubts of one variable."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""The words that a name is made of."""
_TAKES = words("create compile dispatch record execute bind initialize succeeded failed")
_TELLS = words(
    "print printf fprintf sprintf snprintf log trace assert expect check throw size sizes count bytes product sum max "
    "min accumulate volume hash length elements look show dump inspect debug report valid validate verify equal "
    "compare countof"
)
_CHANGES = words("set reset update write fill init change adjust pad read load fix make resize")
"""What a function does that begins with such a word is not what its other words say."""
_COMPOUND = frozenset("+-*/%|&^")
_OUTPUT = words("cout cerr clog wcout wcerr")
_PASSED = (
    TYPES
    | ARRAYS
    | _CONDITIONS
    | words(
        "static_cast reinterpret_cast const_cast dynamic_cast narrow_cast narrow checked_cast move sizeof data begin "
        "end _countof ARRAYSIZE _ARRAYSIZE size ssize DMLCalcBufferTensorSize IID_PPV_ARGS"
    )
)
"""Words in front of a bracket that call nothing that could change what stands in it."""
_READS = words("size empty begin end cbegin cend at front back length rank dims c_str capacity max_size")
"""Members of an array that only read it."""
MOST_DEPTH = 64
"""Depth of scopes; deeper ones count as their parent."""


class Scope(msgspec.Struct):
    """What is declared between two braces."""

    names: dict[str, Variable] = field(default_factory=dict)
    structs: list[Struct] = field(default_factory=list)
    """The structs of operators that were made here."""
    level: FeatureLevel | None = None
    branch: Branch | None = None
    """Set where this may run not at all, or many times."""


class Branch(msgspec.Struct):
    """A part of the text that may run not at all, or many times: what it sets of the variables around it."""

    start: int
    line: int
    text: str
    own: set[int] = field(default_factory=set)
    """The ids of variables that are declared in it."""
    sets: list[Variable] = field(default_factory=list)


class Said(msgspec.Struct):
    """A statement: what it sets, or None where it was passed over."""

    line: int
    sets: Variable | None
    start: int
    end: int
    matters: bool = False
    """True if it says something of a desc besides: a feature level, or that CreateOperator is called."""


class Statements:
    """Reads the statements of a text.

    `finish` is called with the struct of each operator and the feature level that is known there: when the struct is
    passed to CreateOperator, and when its scope ends (then with True); last with the token up to which it was filled.
    """

    def __init__(
        self, tokens: Tokens, structs: Structs, finish: Callable[[Struct, FeatureLevel | None, bool, int], None]
    ) -> None:
        self.texts = [*tokens.texts, "", ""]
        self.tokens, self.structs, self.finish = tokens, structs, finish
        self.read = Expressions(self.texts, tokens.lines, structs, self.lookup)
        self.scopes = [Scope()]
        self.too_deep = 0
        self.said: list[Said] = []
        self._branches: list[Branch] = []
        self._alternatives: list[Branch] = []
        """What each `#if` that is open has set."""
        self._head: tuple[int, int] | None = None
        """The tokens in front of the brace that comes next."""
        self._conditional = False
        """True if what comes next may run not at all, or many times."""
        self._last = {text: at for at, text in enumerate(tokens.texts)}
        self._marks = [i for i, t in enumerate(tokens.texts) if t == "CreateOperator" or t.startswith("DML_FEATURE_")]
        self._marks.reverse()

    def lookup(self, name: str) -> Variable | None:
        for scope in reversed(self.scopes):
            if (found := scope.names.get(name)) is not None:
                return found
        return None

    def run(self) -> None:
        """Carries out every statement. Raises TangledError."""
        read = self.read
        while text := self.texts[read.at]:
            checkpoint()
            start = read.at
            if text == "#":
                self._directive(start)
                read.at += 1
            elif text == ";":
                read.at += 1
            elif text == "{":
                read.at += 1
                self._open(start)
            elif text == "}":
                read.at += 1
                self._close()
            elif text in _CONDITIONS:
                self._condition()
            elif text in _OPENERS:
                read.at += 1
            else:
                self._in_branch(start)
            self._conditional = text in _CONDITIONS or text in _OPENERS or (self._conditional and self._begins_body)
            if read.made:
                self.scopes[-1].structs += read.made
                read.made.clear()
            self._pass_marks()
        self.too_deep = 0
        while len(self.scopes) > 1:
            self._close()
        self._finish_scope(self.scopes[0])

    # ---- scopes -------------------------------------------------------------------------------------------------

    def _open(self, start: int) -> None:
        """Begins a scope behind a brace."""
        head, self._head = self._head, None
        if len(self.scopes) >= MOST_DEPTH:
            self.too_deep += 1
            return
        scope = Scope()
        self.scopes.append(scope)
        if self._conditional or (head is not None and _is_lambda(self.texts[head[0] : head[1]])):
            scope.branch = Branch(start, self.tokens.lines[start], "a part that may not run, or run often")
            self._branches.append(scope.branch)
        elif head is not None:
            for name in _parameters(self.texts[head[0] : head[1]]):
                if self.lookup(name) is not None:  # it hides what is declared outside
                    line = self.tokens.lines[start]
                    scope.names[name] = Variable(name, "", line, Unknown(f"{name}, a parameter"))

    def _in_branch(self, start: int) -> None:
        """A statement that may stand behind a condition without a brace."""
        if not self._conditional:
            self._statement(start)
            return
        branch = Branch(start, self.tokens.lines[start], "a part that may not run, or run often")
        self._branches.append(branch)
        self._statement(start)
        self._branches.remove(branch)
        self._doubt_all(branch)

    @property
    def _begins_body(self) -> bool:
        """True if the statement that was read is the head of what stands in braces behind it."""
        return self.texts[self.read.at] == "{"

    def _doubt_all(self, branch: Branch) -> None:
        """What a branch has set is doubtful behind it."""
        end = self.read.at
        for each in branch.sets:
            if id(each) not in branch.own:
                self._doubt(each, Doubt(end, branch.line, branch.text))

    def _doubt(self, variable: Variable, doubt: Doubt) -> None:
        held = settled(variable)
        doubtful: list[Variable | Struct] = [*chain(variable), *([held] if isinstance(held, Struct) else [])]
        for each in doubtful:
            if len(each.doubts) < MOST_DOUBTS:
                each.doubts.append(doubt)

    def _set(self, variable: Variable) -> None:
        """Takes note that a statement sets a variable."""
        for branch in (*self._branches, *self._alternatives):
            branch.sets += chain(variable)

    def _own(self, variable: Variable) -> None:
        for branch in self._branches:
            branch.own.add(id(variable))

    def until(self, struct: Struct) -> int:
        """The token that mentions a struct last."""
        return self._last.get(struct.name, struct.at) if struct.name else struct.at

    def _close(self) -> None:
        if self.too_deep:
            self.too_deep -= 1
        elif len(self.scopes) > 1:
            self._finish_scope(self.scopes[-1])
            branch = self.scopes.pop().branch
            if branch is not None:
                self._branches.remove(branch)
                self._doubt_all(branch)

    def _finish_scope(self, scope: Scope) -> None:
        for struct in scope.structs:
            self.finish(struct, self._level(), True, self.until(struct))

    def _level(self) -> FeatureLevel | None:
        return next((scope.level for scope in reversed(self.scopes) if scope.level is not None), None)

    def _pass_marks(self) -> None:
        """Takes note of calls of CreateOperator and of feature levels that were passed."""
        read = self.read
        while self._marks and self._marks[-1] < read.at:
            mark = self._marks.pop()
            text = self.texts[mark]
            if text != "CreateOperator":
                with contextlib.suppress(DmlvizError):
                    self.scopes[-1].level = FeatureLevel.of(text)
                    self._matters(mark)
                continue
            behind, read.at = read.at, mark + 1
            try:
                read.expect("(")
                passed = settled(read.expression(), use=True)
                inner = settled(passed.members.get("Desc")) if isinstance(passed, Struct) else None
                if isinstance(inner, Struct) and inner.kind in self.structs.operators:
                    self._matters(mark)
                    if not any(each is inner for each in read.made):  # one that is made here has its own scope
                        self.finish(inner, self._level(), False, mark)
            except NotThisError:
                pass
            read.at = behind
            read.made.clear()

    def _matters(self, mark: int) -> None:
        if self.said and self.said[-1].start <= mark < self.said[-1].end:
            self.said[-1].matters = True

    # ---- statements ---------------------------------------------------------------------------------------------

    def _condition(self) -> None:
        start = self.read.at
        self.read.at += 1
        if self.texts[self.read.at] == "constexpr":
            self.read.at += 1
        if self.texts[self.read.at] == "(":
            try:
                self.read.skip_balanced("(", ")")
                over = self.texts[start] == "for" and ":" in self.texts[start : self.read.at]
                self._suspect(start, self.read.at, called=not over)
            except NotThisError:
                self.read.at += 1

    def _statement(self, start: int) -> None:
        read, said = self.read, len(self.said)
        if self.texts[start] not in _NO_DECLARATIONS and self.texts[start][:1].isidentifier():
            for attempt in (self._assignment, self._declaration):
                read.at = start
                try:
                    attempt(start)
                    return
                except NotThisError:
                    read.made.clear()
                    del self.said[said:]
        read.at = start
        self._skip()
        self._lose(start)
        self._head = (start, read.at) if self.texts[read.at] == "{" else None
        if self.texts[read.at] == "{" and "=" not in self.texts[start : read.at]:
            return  # the head of a function, of a class, of a namespace
        self._suspect(start, read.at)
        if self.texts[start] == "static_assert":
            return  # it sets nothing
        if any(text[:1].isidentifier() for text in self.texts[start : min(read.at, start + 8)]):
            self.said.append(
                Said(line=self.tokens.lines[start], sets=None, start=start, end=read.at, matters=bool(read.made))
            )

    def _suspect(self, start: int, end: int, *, called: bool = False) -> None:
        """Doubts the arrays and structs that a statement mentions which isn't followed.

        What is only read there is not doubted: sizes and counts, output, and calls that take a desc as it is. A number
        whose address is taken isn't known any more. Where `called`, only a call of a function is a reason.
        """
        texts = self.texts[start : min(end, start + MOST_SUSPECT)]
        if not texts or texts[0] in ("return", "using", "static_assert", "throw"):
            return
        calls = [i for i, (text, behind) in enumerate(pairwise(texts)) if behind == "(" and text[:1].isidentifier()]
        calls = [i for i in calls if texts[i] not in _PASSED]
        harmless = (bool(calls) and _is_harmless(texts[calls[0]])) or any(text in _OUTPUT for text in texts)
        inside = _inside(texts, calls)
        assigned = 0 if called else _assigned(texts)
        doubt = Doubt(end, self.tokens.lines[start], self.read.source(start, min(end, start + 12)))
        for i, text in enumerate(texts):
            if not text[:1].isidentifier() or (i and texts[i - 1] in (".", "->", "::")):
                continue
            variable = self.lookup(text)
            if variable is None or (i >= assigned and (called or assigned) and not inside[i]):
                continue
            if texts[i + 1 : i + 2] in (["."], ["->"]) and texts[i + 2 : i + 3] and texts[i + 2] in _READS:
                continue
            held = settled(variable)
            if isinstance(held, (Struct, Items)):
                if not harmless:
                    self._doubt(variable, doubt)
                    self._set(variable)
            elif isinstance(held, int) and i and texts[i - 1] in ("&", ">>"):
                self._whole(variable)(Unknown(f"{text}, which {doubt.text} may set"))

    def _lose(self, start: int) -> None:
        """Forgets what a statement that was not understood may have changed."""
        texts, end = self.texts, self.read.at
        stepped = texts[start : start + 2] in (["+", "+"], ["-", "-"])
        at = start + 2 * stepped
        variable = self.lookup(texts[at])
        if variable is None:
            return
        put, held = self._whole(variable), settled(variable)
        at += 1
        while at + 1 < end and texts[at] in (".", "->") and isinstance(held, Struct):
            name = texts[at + 1]
            if name not in self.structs.members.get(held.kind, ()):
                return
            put, held, at = _member(held, name), settled(held.members.get(name)), at + 2
        changed = stepped or texts[at] == "=" or texts[at + 1] == "=" or texts[at] == texts[at + 1] in ("+", "-")
        if changed and not isinstance(held, (Struct, Items)):
            put(Unknown(self.read.source(start, min(end, start + 24))))

    def _skip(self) -> None:
        """Goes to the end of a statement; structs of operators that stand in it are read."""
        read, texts = self.read, self.texts
        first = read.at
        while (text := texts[read.at]) and text not in ";{}":
            if text in self.structs.operators and texts[read.at + 1] == "{":
                here, made = read.at, len(read.made)
                try:
                    read.expression()
                    continue
                except NotThisError:
                    read.at = here
                    del read.made[made:]
            read.at += 1
        read.burn(read.at - first)

    def _declaration(self, start: int) -> None:
        read, texts = self.read, self.texts
        kind, is_array, is_pointer = self._type()
        size = _integer(texts[read.at - 2]) if is_array and texts[read.at - 1] == ">" else None
        while True:
            while texts[read.at] in ("*", "&", "const"):
                is_pointer |= texts[read.at] != "const"
                read.at += 1
            name, line = texts[read.at], read.line
            if not name[:1].isidentifier() or name in TYPES:
                raise NotThisError
            read.at += 1
            begun = read.at
            variable = self._declared(name, kind, line, is_array, is_pointer, size)
            if texts[read.at] not in (";", ","):
                raise NotThisError
            self._suspect(begun, read.at, called=True)
            before = self.scopes[-1].names.get(name)
            self.scopes[-1].names[name] = variable
            self._own(variable)
            if before is not None and self._alternatives:
                self._set(variable)  # another one of that name, for another `#if`
            self.said.append(Said(line, variable, start, read.at))
            read.at += 1
            if texts[read.at - 1] == ";":
                return

    def _type(self) -> tuple[str, bool, bool]:
        """The type that a declaration begins with; whether it is an array by itself, and whether a reference."""
        read, texts = self.read, self.texts
        while texts[read.at] in _QUALIFIERS:
            read.at += 1
        kind, is_array = read.name(), False
        while kind in _WIDE and texts[read.at] in _WIDE:
            read.at += 1
        if texts[read.at] == "<":
            start = read.at
            read.skip_balanced("<", ">")
            if kind not in ARRAYS:
                raise NotThisError
            inner = [t for t in texts[start + 1 : min(read.at, start + 9)] if t[:1].isidentifier()]
            kind, is_array = next((t for t in inner if t not in ("const", "std", "struct")), ""), True
        elif kind in ARRAYS or kind in _ALIASES:
            kind, is_array = "UINT", True
        is_pointer = False
        while texts[read.at] in ("*", "&", "const"):
            is_pointer |= texts[read.at] != "const"
            read.at += 1
        return kind, is_array, is_pointer

    def _declared(
        self, name: str, kind: str, line: int, is_array: bool, is_pointer: bool, size: int | None
    ) -> Variable:
        """The variable with what it is initialised with, if anything; an array has `size` elements at least."""
        read = self.read
        count: Value | None = size
        counted = self.texts[read.at] == "["
        if counted:
            is_array = True
            read.at += 1
            count = None if self.texts[read.at] == "]" else settled(read.expression())
            read.expect("]")
        known = kind in TYPES or kind in self.structs.members or kind.endswith("_OPERATOR_DESC")
        here = self.texts[read.at]
        if read.accept("="):
            value = read.expression()
        elif here == "{":
            value = read.braced(0)
        elif here == "(" and is_array and not counted:
            value = read.sized_array(kind, 0)
        elif here == "(" and known and not is_array:
            read.at += 1
            value = read.expression()
            read.expect(")")
        elif here in (";", ",") and (known or is_array) and not is_pointer:
            value = Items(kind, []) if is_array else read.blank(kind, cleared=False)
            if not is_array and value == 0:
                value = Unknown(f"{name}, which was never set")
        else:
            raise NotThisError
        if not is_pointer:
            value = read.shaped(value, kind, is_array=is_array)
        if isinstance(value, Items) and isinstance(count, int) and len(value.items) < count <= MOST_BLANK:
            value.items += [read.blank(kind) for _ in range(count - len(value.items))]
        if isinstance(value, Unknown) and not known:
            raise NotThisError
        variable = Variable(name, kind, line, value, is_pointer=is_pointer)
        if isinstance(value, Struct):
            value.line, value.name = line, name
        return variable

    def _assignment(self, start: int) -> None:
        """One assignment, or several between commas."""
        self._assign(start)
        while self.read.accept(","):
            self._assign(self.read.at)
        self.read.expect(";")

    def _assign(self, start: int) -> None:
        read, texts = self.read, self.texts
        variable = self.lookup(texts[start])
        if variable is None or texts[start + 1] not in ("=", ".", "->", "[", *_COMPOUND):
            raise NotThisError
        read.at = start + 1
        put = self._whole(variable)
        held = settled(variable)
        compound = ""
        while not read.accept("="):
            if texts[read.at] in _COMPOUND and texts[read.at + 1] == "=":
                compound = texts[read.at]
                read.at += 1
                continue
            if read.accept("["):
                number = settled(read.expression())
                read.expect("]")
                if not isinstance(held, Items) or not isinstance(number, int):
                    raise NotThisError
                if not 0 <= number < min(MOST_ITEMS, len(held.items) + MOST_BLANK):
                    raise NotThisError
                held.items += [read.blank(held.element) for _ in range(number + 1 - len(held.items))]
                put, held = self._item(held, number), settled(held.items[number])
                continue
            if not read.accept(".") and not read.accept("->"):
                raise NotThisError
            name = read.name()
            if name in ("push_back", "emplace_back") and isinstance(held, Items):
                self._push(held)
                break
            if not isinstance(held, Struct) or name not in self.structs.members.get(held.kind, ()):
                raise NotThisError
            put, held = _member(held, name), settled(held.members.get(name))
        else:
            value = read.expression()
            if texts[read.at] not in (";", ","):
                raise NotThisError
            if compound:
                made = computed(compound, held, settled(value))
                if made is None:
                    raise NotThisError
                value = made
            put(value)
            self._suspect(texts.index("=", start), read.at, called=True)
        self._set(variable)
        self.said.append(Said(self.tokens.lines[start], variable, start, read.at))

    def _whole(self, variable: Variable) -> Callable[[Value], None]:
        def put(value: Value) -> None:
            held = variable.value
            if isinstance(held, Items):
                made = self.read.shaped(value, held.element, is_array=True)
            else:
                made = self.read.shaped(value, held.kind if isinstance(held, Struct) else variable.kind)
            if isinstance(made, Struct) and isinstance(held, Struct) and made.kind == held.kind:
                # The struct stays the one that was declared, with other members.
                held.members, held.cleared = made.members, made.cleared
                self.read.made = [each for each in self.read.made if each is not made]
            else:
                variable.value = made

        return put

    def _alternative(self, kind: str, at: int) -> None:
        """Takes note of the parts of an `#if`: what they set is doubtful behind them."""
        if kind in ("if", "ifdef", "ifndef"):
            self._alternatives.append(Branch(at, self.tokens.lines[at], "a part of the text behind an #if"))
        elif self._alternatives and kind in ("else", "elif", "elifdef", "elifndef", "endif"):
            self._doubt_all(self._alternatives[-1])
            self._alternatives[-1].sets.clear()
            if kind == "endif":
                self._alternatives.pop()

    def _item(self, items: Items, number: int) -> Callable[[Value], None]:
        def put(value: Value) -> None:
            items.items[number] = self.read.shaped(value, items.element)

        return put

    def _push(self, items: Items) -> None:
        self.read.expect("(")
        value = self.read.expression()
        self.read.expect(")")
        if self.texts[self.read.at] != ";" or len(items.items) >= MOST_ITEMS:
            raise NotThisError
        items.items.append(self.read.shaped(value, items.element))

    def _directive(self, at: int) -> None:
        """`#define NAME value` is a constant; of `#if` with other parts, what they set is doubtful."""
        tokens = self.tokens.directives.get(at, [])
        self._alternative(tokens[0] if tokens else "", at)
        if len(tokens) < 3 or tokens[0] != "define":
            return
        line = self.tokens.lines[at]
        inner = Expressions([*tokens, "", ""], [line] * len(tokens), self.structs, self.lookup)
        inner.at = 2
        try:
            value = settled(inner.expression())
        except NotThisError:
            return
        if not inner.texts[inner.at] and isinstance(value, (int, Symbol)):
            variable = Variable(tokens[1], "#define", line, value)
            self.scopes[0].names[tokens[1]] = variable
            self.said.append(Said(line, variable, at, at + 1))


def _is_harmless(name: str) -> bool:
    """True for a function that is taken to read what it is given, by its name."""
    made = [word.lower() for word in _WORD.findall(name)]
    if not made or made[0] in _CHANGES:
        return False
    return made[0] in _TAKES or any(word in _TELLS for word in made)


def _inside(texts: list[str], calls: list[int]) -> list[bool]:
    """Which words stand in the brackets of a call."""
    inside, depth, begins = [False] * len(texts), 0, {i + 1 for i in calls}
    opened: list[bool] = []
    for i, text in enumerate(texts):
        inside[i] = depth > 0
        if text == "(":
            opened.append(i in begins)
            depth += opened[-1]
        elif text == ")" and opened:
            depth -= opened.pop()
    return inside


def _assigned(texts: list[str]) -> int:
    """Where the right side of an assignment begins; 0 for any other statement."""
    depth = 0
    for i, text in enumerate(texts):
        depth += (text in "([{") - (text in ")]}") if text else 0
        if text == "=" and not depth and texts[i - 1] not in ("=", "!", "<", ">") and texts[i + 1 : i + 2] != ["="]:
            return i + 1
    return 0


def _is_lambda(tokens: list[str]) -> bool:
    """True if what stands in front of a brace begins a lambda's body."""
    return any(one == "]" and other in ("(", "mutable", "->") for one, other in pairwise(tokens)) or tokens[-1:] == [
        "]"
    ]


def _parameters(tokens: list[str]) -> Iterator[str]:
    """The names of parameters in the head of a function."""
    depth = 0
    for text, behind in pairwise(tokens):
        depth += (text == "(") - (text == ")")
        if depth == 1 and text[:1].isidentifier() and behind in (",", ")", "=", "["):
            yield text


def _member(struct: Struct, name: str) -> Callable[[Value], None]:
    def put(value: Value) -> None:
        struct.members[name] = copied(value)

    return put


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None
