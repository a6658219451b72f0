"""Writes the function that decodes one message in one version.

Neighbouring fields of fixed size are unpacked by one call, together with the length that follows them. A length is
compared with what remains of the frame before anything is made from it.
"""

from generator.lines import Lines
from generator.schema import FIXED_FORMATS, FIXED_SIZES, Field, Message, Struct
from generator.values import default_of

# Strings and bytes are copied, for they outlive the frame; records are not.
_CONVERSIONS = {"string": ".tobytes().decode()", "bytes": ".tobytes()", "records": ""}


class DecoderSource:
    """Straight-line source for one version; nested structs are decoded in place."""

    def __init__(self, message: Message, version: int) -> None:
        self.message = message
        self.version = version
        self.is_flexible = version in message.flexible
        self.lines = Lines()
        self._run: list[tuple[str, str]] = []
        self._uuids: list[str] = []

    def write(self) -> Lines:
        target = self.lines.fresh("o")
        self.lines.add("pos = 0")
        self._struct(self.message.root, target)
        self._flush()
        self.lines.add(f"return {target}, pos")
        return self.lines

    def _struct(self, struct: Struct, target: str) -> None:
        self.lines.add(f"{target} = new({struct.name})")
        for field in struct.fields:
            if field.is_plain(self.version):
                self._field(field, f"{target}.{field.name}", struct)
            else:
                self.lines.add(f"{target}.{field.name} = {default_of(field)}")
        if self.is_flexible:
            self._tags(struct, target)

    # Runs of fixed-size values

    def _fixed(self, form: str, target: str) -> None:
        self._run.append((form, target))
        if form == "16s":
            self._uuids.append(target)

    def _flush(self) -> None:
        if not self._run:
            return
        run, self._run = self._run, []
        form = "".join(item[0] for item in run)
        if form == "B":
            self.lines.add(f"{run[0][1]} = view[pos]")
        else:
            targets = ", ".join(item[1] for item in run) + ("," if len(run) == 1 else "")
            self.lines.add(f"{targets} = {self.lines.packer('U', form)}(view, pos)")
        self.lines.add(f"pos += {sum(FIXED_SIZES[item[0]] for item in run)}")
        for target in self._uuids:
            self.lines.add(f"{target} = UUIDS.get({target}) or uuid_of({target})")
        self._uuids = []

    # Lengths

    def _varint(self, name: str, *, often_long: bool = False) -> None:
        self._fixed("B", name)
        self._flush()
        with self.lines.block(f"if {name} > 127:"):
            if not often_long:
                self.lines.add(f"{name}, pos = varint_rest(view, pos, {name})")
                return
            # Record batches mostly have lengths of two or three bytes.
            with self.lines.block("if view[pos] < 128:"):
                self.lines.add(f"{name} += (view[pos] << 7) - 128")
                self.lines.add("pos += 1")
            with self.lines.block("else:"):
                self.lines.add(f"{name}, pos = varint_rest(view, pos, {name})")

    def _is_compact(self, field: Field) -> bool:
        return self.is_flexible and not field.always_plain

    def _length(self, field: Field, form: str) -> str:
        """Read a length into a new variable. A compact one is 1 more than the length, and 0 for null."""
        name = self.lines.fresh("n")
        if self._is_compact(field):
            self._varint(name, often_long=field.type == "records")
        else:
            self._fixed(form, name)
            self._flush()
        return name

    def _is_null(self, field: Field, length: str) -> str:
        return f"not {length}" if self._is_compact(field) else f"{length} < 0"

    # Fields

    def _field(self, field: Field, target: str, struct: Struct) -> None:
        place = f"{struct.name}.{field.name}"
        if field.format is not None:
            self._fixed(field.format, target)
        elif field.is_array:
            self._array(field, target, place)
        elif field.is_struct:
            self._nested(field, target)
        else:
            self._bytes(field, target, place)

    def _nested(self, field: Field, target: str) -> None:
        assert field.struct is not None
        if self.version not in field.nullable:
            return self._into(field.struct, target)
        present = self.lines.fresh("n")
        self._fixed("b", present)
        self._flush()
        with self.lines.block(f"if {present} < 0:"):
            self.lines.add(f"{target} = None")
        with self.lines.block("else:"):
            self._into(field.struct, target)
        return None

    def _into(self, struct: Struct, target: str) -> None:
        name = self.lines.fresh("o")
        self._struct(struct, name)
        self._flush()
        self.lines.add(f"{target} = {name}")

    def _null_or(self, field: Field, length: str, target: str, place: str) -> str:
        """Handle a null length; returns the head of the block for the rest."""
        is_null = self._is_null(field, length)
        if self.version not in field.nullable:
            self.lines.add(f"if {is_null}: raise null({place!r})")
            return ""
        self.lines.add(f"if {is_null}: {target} = None")
        return "else:"

    def _bytes(self, field: Field, target: str, place: str) -> None:
        length = self._length(field, "h" if field.type == "string" else "i")
        rest = self._null_or(field, length, target, place)
        if rest:
            with self.lines.block(rest):
                self._slice(field, length, target, place)
        else:
            self._slice(field, length, target, place)

    def _slice(self, field: Field, length: str, target: str, place: str) -> None:
        self.lines.add(f"end = pos + {length}" + (" - 1" if self._is_compact(field) else ""))
        self.lines.add(f"if end > size: raise beyond({place!r})")
        self.lines.add(f"{target} = view[pos:end]{_CONVERSIONS[field.element]}")
        self.lines.add("pos = end")

    def _array(self, field: Field, target: str, place: str) -> None:
        length = self._length(field, "i")
        rest = self._null_or(field, length, target, place)
        if rest:
            with self.lines.block(rest):
                self._elements(field, length, target, place)
        else:
            self._elements(field, length, target, place)

    def _elements(self, field: Field, length: str, target: str, place: str) -> None:
        least = self._least_element(field)
        assert least > 0, f"{place} could take memory without taking bytes"
        if self._is_compact(field):
            self.lines.add(f"{length} -= 1")
        taken = f"{length} * {least}" if least > 1 else length
        self.lines.add(f"if {taken} > size - pos: raise beyond({place!r})")
        form = FIXED_FORMATS.get(field.element)
        if form is not None and form != "16s":
            self.lines.add(f"{target} = list(unpack_from(f'>{{{length}}}{form}', view, pos))")
            self.lines.add(f"pos += {taken}")
            return
        items = self.lines.fresh("a")
        self.lines.add(f"{items} = []")
        with self.lines.block(f"for _ in range({length}):"):
            if field.struct is not None:
                item = self.lines.fresh("o")
                self._struct(field.struct, item)
            else:
                item = self.lines.fresh("e")
                self._scalar_element(field, item, place)
            self._flush()
            self.lines.add(f"{items}.append({item})")
        self.lines.add(f"{target} = {items}")

    def _scalar_element(self, field: Field, item: str, place: str) -> None:
        if field.element == "uuid":
            self._fixed("16s", item)
            return
        length = self._length(field, "h")
        self.lines.add(f"if {self._is_null(field, length)}: raise null({place!r})")
        self._slice(field, length, item, place)

    # Tagged fields

    def _tags(self, struct: Struct, target: str) -> None:
        count = self.lines.fresh("t")
        self._fixed("B", count)
        self._flush()
        known = struct.tagged_fields(self.version)
        with self.lines.block(f"if {count}:"):
            if not known:
                self.lines.add(f"pos = skip_tags(view, pos, {count}, size)")
                return
            with self.lines.block(f"if {count} > 127:"):
                self.lines.add(f"{count}, pos = varint_rest(view, pos, {count})")
            with self.lines.block(f"for _ in range({count}):"):
                self._one_tag(known, target, struct)

    def _one_tag(self, known: list[Field], target: str, struct: Struct) -> None:
        tag, stop = self.lines.fresh("tag"), self.lines.fresh("stop")
        self._varint(tag)
        self._varint(stop)
        self.lines.add(f"{stop} += pos")
        self.lines.add(f"if {stop} > size: raise beyond({struct.name!r})")
        word = "if"
        for field in known:
            with self.lines.block(f"{word} {tag} == {field.tag}:"):
                self._field(field, f"{target}.{field.name}", struct)
                self._flush()
                self.lines.add(f"if pos != {stop}: raise unused('{struct.name}.{field.name}')")
            word = "elif"
        with self.lines.block("else:"):
            self.lines.add(f"pos = {stop}")

    # Least sizes, so that a count can be refused before anything is made

    def _least_element(self, field: Field) -> int:
        if field.struct is not None:
            return self._least_struct(field.struct)
        form = FIXED_FORMATS.get(field.element)
        if form is not None:
            return FIXED_SIZES[form]
        return 1 if self.is_flexible else 2

    def _least_struct(self, struct: Struct) -> int:
        plain = (field for field in struct.fields if field.is_plain(self.version))
        return sum(self._least_field(field) for field in plain) + self.is_flexible

    def _least_field(self, field: Field) -> int:
        if field.format is not None:
            return FIXED_SIZES[field.format]
        if field.is_struct:
            assert field.struct is not None
            return 1 if self.version in field.nullable else self._least_struct(field.struct)
        if self.is_flexible and not field.always_plain:
            return 1
        return 2 if field.type == "string" else 4
