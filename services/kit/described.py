"""What the source says about the fields of a type, for documents that programs and forms are made from."""

import ast
import inspect
from textwrap import dedent


def texts_below_fields(kind: type) -> dict[str, str]:
    """A field is explained by the text that stands under it, which only the source has; by name, a line a paragraph."""
    (found,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(found, ast.ClassDef)
    told = {}
    for above, below in zip(found.body, found.body[1:], strict=False):
        match above, below:
            case ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text))):
                told[field] = "\n\n".join(" ".join(each.split()) for each in text.strip().split("\n\n"))
            case _:
                continue
    return told
