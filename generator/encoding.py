"""Writes the function that encodes one message in one version.

Neighbouring fields of fixed size are packed by one call; record batches become chunks of their own and are not copied.
"""

from generator.lines import Lines
from generator.schema import FIXED_FORMATS, Field, Message, Struct
from generator.values import differs_from_default


class EncoderSource:
    """Straight-line source for one version; nested structs are encoded in place."""

    def __init__(self, message: Message, version: int) -> None:
        self.message = message
        self.version = version
        self.is_flexible = version in message.flexible
        self.lines = Lines()
        self._run: list[tuple[str, str]] = []
        self._out = "out"
        self._has_records = False

    def write(self) -> Lines:
        self.lines.add("out = []")
        self.lines.add("chunks = []")
        self._struct(self.message.root, "m")
        self._flush()
        if self._has_records:
            self.lines.add("if out: chunks.append(b''.join(out))")
            self.lines.add("return chunks")
        else:
            self.lines.text.remove(" chunks = []")
            self.lines.add("return [b''.join(out)]")
        return self.lines

    def _struct(self, struct: Struct, value: str) -> None:
        for field in struct.fields:
            if field.is_plain(self.version):
                self._field(field, f"{value}.{field.name}")
            elif self.version not in field.versions and not field.ignorable:
                self._refuse(field, f"{value}.{field.name}", struct)
        if self.is_flexible:
            self._tags(struct, value)

    def _refuse(self, field: Field, value: str, struct: Struct) -> None:
        """A value that this version cannot carry, and that may not be dropped."""
        condition = differs_from_default(field, value)
        self.lines.add(f"if {condition}: raise unsupported('{struct.name}.{field.name}')")

    # Runs of fixed-size values

    def _fixed(self, form: str, value: str) -> None:
        self._run.append((form, value))

    def _append(self, value: str) -> None:
        self._flush()
        self.lines.add(f"{self._out}.append({value})")

    def _flush(self) -> None:
        if not self._run:
            return
        run, self._run = self._run, []
        self.lines.add(f"{self._out}.append({self._packed(run)})")

    def _packed(self, run: list[tuple[str, str]]) -> str:
        form = "".join(item[0] for item in run)
        if not form.strip("x"):
            return repr(bytes(len(form)))
        values = ", ".join(item[1] for item in run if item[0] != "x")
        return f"{self.lines.packer('P', form)}({values})"

    # Lengths

    def _compact(self, field: Field) -> bool:
        return self.is_flexible and not field.always_plain

    def _varint(self, value: str) -> None:
        """Write a length that mostly fits in one byte, which is then packed with the fields before it."""
        run, self._run = self._run, []
        if run:
            short, long = self._packed([*run, ("B", value)]), f"{self._packed(run)} + varint({value})"
        else:
            short, long = f"U8[{value}]", f"varint({value})"
        self.lines.add(f"{self._out}.append({short} if {value} < 128 else {long})")

    def _length(self, field: Field, form: str, name: str) -> None:
        """Write the length that ``name`` holds in the form that ``_count`` gave it."""
        if self._compact(field):
            self._varint(name)
        else:
            self._fixed(form, name)

    def _count(self, field: Field, length: str) -> str:
        """A compact length is 1 more, so that 0 is null."""
        return f"{length} + 1" if self._compact(field) else length

    def _null(self, field: Field) -> str:
        return "0" if self._compact(field) else "-1"

    # Fields

    def _field(self, field: Field, value: str) -> None:
        if field.format is not None:
            self._fixed(field.format, f"{value}.bytes" if field.type == "uuid" else value)
        elif field.is_array:
            self._array(field, value)
        elif field.is_struct:
            self._nested(field, value)
        elif field.type == "records":
            self._records(field, value)
        else:
            self._bytes(field, value)

    def _nested(self, field: Field, value: str) -> None:
        assert field.struct is not None
        item = self.lines.fresh("m")
        self.lines.add(f"{item} = {value}")
        if self.version not in field.nullable:
            return self._struct(field.struct, item)
        self._flush()
        with self.lines.block(f"if {item} is None:"):
            self._append(repr(b"\xff"))
        with self.lines.block("else:"):
            self._fixed("b", "1")
            self._struct(field.struct, item)
            self._flush()
        return None

    def _bytes(self, field: Field, value: str) -> None:
        text, length = self.lines.fresh("b"), self.lines.fresh("n")
        encoded = ".encode()" if field.type == "string" else ""
        if self.version in field.nullable:
            self.lines.add(f"{text} = {value}")
            with self.lines.block(f"if {text} is None:"):
                self.lines.add(f"{text} = b''; {length} = {self._null(field)}")
            with self.lines.block("else:"):
                if encoded:
                    self.lines.add(f"{text} = {text}{encoded}")
                self.lines.add(f"{length} = {self._count(field, f'len({text})')}")
        else:
            self.lines.add(f"{text} = {value}{encoded}")
            self.lines.add(f"{length} = {self._count(field, f'len({text})')}")
        self._length(field, "h" if field.type == "string" else "i", length)
        self._append(text)

    def _records(self, field: Field, value: str) -> None:
        assert self._out == "out", "records inside a tagged field would be copied"
        self._has_records = True
        data, length = self.lines.fresh("b"), self.lines.fresh("n")
        self.lines.add(f"{data} = {value}")
        size = self._count(field, f"(size_of({data}) if type({data}) is list else len({data}))")
        self.lines.add(f"{length} = {self._null(field)} if {data} is None else {size}")
        if self.version not in field.nullable:
            self.lines.add(f"if {data} is None: raise null({value.partition('.')[2]!r})")
        self._length(field, "i", length)
        self._flush()
        with self.lines.block(f"if {data}:"):
            self.lines.add("chunks.append(b''.join(out))")
            self.lines.add("out.clear()")
            self.lines.add(f"if type({data}) is list: chunks += {data}")
            self.lines.add(f"else: chunks.append({data})")

    def _array(self, field: Field, value: str) -> None:
        items, length = self.lines.fresh("a"), self.lines.fresh("n")
        self.lines.add(f"{items} = {value}")
        if self.version in field.nullable:
            counted = f"{self._null(field)} if {items} is None else {self._count(field, f'len({items})')}"
        else:
            counted = self._count(field, f"len({items})")
        self.lines.add(f"{length} = {counted}")
        self._length(field, "i", length)
        self._flush()
        form = FIXED_FORMATS.get(field.element)
        if form is not None and form != "16s":
            self.lines.add(f"if {items}: {self._out}.append(pack(f'>{{len({items})}}{form}', *{items}))")
            return
        source = f"{items} or ()" if self.version in field.nullable else items
        item = self.lines.fresh("m")
        with self.lines.block(f"for {item} in {source}:"):
            self._element(field, item)
            self._flush()

    def _element(self, field: Field, item: str) -> None:
        if field.struct is not None:
            self._struct(field.struct, item)
        elif field.element == "uuid":
            self._append(f"{item}.bytes")
        else:
            length = self.lines.fresh("n")
            self.lines.add(f"{item} = {item}.encode()")
            self.lines.add(f"{length} = {self._count(field, f'len({item})')}")
            self._length(field, "h", length)
            self._append(item)

    # Tagged fields

    def _tags(self, struct: Struct, value: str) -> None:
        fields = struct.tagged_fields(self.version)
        if not fields:
            return self._fixed("x", "")
        self._flush()
        tests = [differs_from_default(field, f"{value}.{field.name}") for field in fields]
        with self.lines.block(f"if {' or '.join(f'({test})' for test in tests)}:"):
            self._sent_tags(fields, tests, value)
        with self.lines.block("else:"):
            self._append(repr(b"\0"))
        return None

    def _sent_tags(self, fields: list[Field], tests: list[str], value: str) -> None:
        tags = self.lines.fresh("t")
        self.lines.add(f"{tags} = []")
        outer, self._out = self._out, self.lines.fresh("part")
        for field, test in zip(fields, tests, strict=True):
            with self.lines.block(f"if {test}:"):
                self.lines.add(f"{self._out} = []")
                self._field(field, f"{value}.{field.name}")
                self._flush()
                self.lines.add(f"{tags}.append(tagged({field.tag}, {self._out}))")
        self._out = outer
        self._append(f"varint(len({tags}))")
        self.lines.add(f"{self._out} += {tags}")
