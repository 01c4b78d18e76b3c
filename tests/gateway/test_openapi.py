"""The description of the API: it is one, and the house behaves as it says, whatever it is sent."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import httpx
import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import integers, sampled_from
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.core.result import Ok

from services.gateway.app import web_app
from services.gateway.assets import Assets
from services.gateway.problems import MEDIA_TYPE
from services.gateway.reach import Reach
from tests.e2e.command import Up
from tests.gateway.matches_at import complete_match, running_match

SECONDS = 10.0
"""For one answer; a stream of a complete match among them."""

EXAMPLES = 8
"""Of requests to each operation, of each kind."""

NOT_OURS = ("positive_data_acceptance",)
"""What the schema allows the rules of a game may still refuse: a seat that is not there, a move out of turn. And a head
that is too large is refused before anybody has looked for what else is wrong with it; lines are any text.
"""


@schemathesis.serializer("application/x-ndjson")
def as_it_is(_: Any, value: Any) -> bytes:
    """Lines are text to the description; what is made for them is mostly none."""
    return str(value).encode(errors="replace")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    app = web_app(cast(Reach, None), Assets({}))
    described: dict[str, Any] = app.openapi()
    return described


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_schema_is_one_and_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)

    def references(part: Any) -> Iterator[str]:
        if isinstance(part, dict):
            yield from (value for key, value in part.items() if key == "$ref")
            for value in part.values():
                yield from references(value)
        elif isinstance(part, list):
            for value in part:
                yield from references(value)

    found = set(references(document))
    assert found <= {f"#/components/schemas/{name}" for name in schemas}
    assert "#/components/schemas/Frame" in found


def test_every_operation_has_a_name_a_sentence_and_its_errors(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))
    for path, method, operation in operations(document):
        where = f"{method} {path}"
        assert operation["summary"], where
        for parameter in operation.get("parameters", ()) if "matches" in operation["tags"] else ():
            assert "description" in parameter, f"{where}: {parameter['name']}"
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                problem = response["content"][MEDIA_TYPE]["schema"]
                assert problem == {"$ref": "#/components/schemas/Problem"}, f"{where} {status}"
        if method == "post":
            assert "Idempotency-Key" in [each["name"] for each in operation["parameters"]], where


def test_streams_are_told_in_two_forms_with_the_shape_of_their_frames(document: dict[str, Any]) -> None:
    streams = [path for path, _, operation in operations(document)
               if "text/event-stream" in operation["responses"].get("200", {}).get("content", {})]  # fmt: skip
    assert {"/api/matches/{match}/stream", "/api/stream"} <= set(streams)
    for path in streams:
        content = document["paths"][path]["get"]["responses"]["200"]["content"]
        assert "application/json" not in content, path
    for path in ("/api/matches/{match}/stream", "/api/stream"):
        content = document["paths"][path]["get"]["responses"]["200"]["content"]
        assert set(content) == {"text/event-stream", "application/x-ndjson"}
        for form in content.values():
            assert form["x-item-schema"] == {"$ref": "#/components/schemas/Frame"}


def test_what_a_stream_says_is_as_described(whole_house: Up, document: dict[str, Any]) -> None:
    match = complete_match(whole_house)
    frame = {"$ref": "#/components/schemas/Frame", "components": document["components"]}
    validator = jsonschema.Draft202012Validator(frame)
    headers = {"Accept": "application/x-ndjson"}
    for query in (f"matches/{match}/stream?after=0", f"matches/{match}/stream?patches=1", f"stream?match={match}"):
        answer = httpx.get(f"{whole_house.web}api/{query}", headers=headers, timeout=SECONDS, trust_env=False)
        told = [httpx.Response(200, text=line).json() for line in answer.text.splitlines()]
        assert told[-1]["event"] == "end"
        for each in told:
            validator.validate(each)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfitting"])
def test_the_house_behaves_as_described(whole_house: Up, mode: GenerationMode) -> None:
    """Requests made from the description, fitting ones and others: never a fault of ours, and always as described."""
    schema = schemathesis.openapi.from_url(f"{whole_house.web}api/openapi.json")
    matches = (complete_match(whole_house), running_match(whole_house))
    for made in schema.get_all_operations():
        assert isinstance(made, Ok), made
        if is_endless(made.ok()):
            continue
        put_to_the_test(made.ok(), mode, matches, EXAMPLES)


def is_endless(operation: Any) -> bool:
    """Streams that end with nothing: of the house, of an event that goes on."""
    told = operation.definition.raw["responses"].get("200", {}).get("content", {})
    return "text/event-stream" in told and "match" not in str(operation.definition.raw.get("parameters"))


def put_to_the_test(operation: Any, mode: GenerationMode, matches: tuple[str, str], examples: int) -> None:
    """``matches`` are one that is complete and one that is not; an open stream of that would not end."""
    known = matches[:1] if operation.path.endswith("/stream") else matches

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), at=sampled_from(known), keep=integers(0, 3))
    def behaves(case: Any, at: str, keep: int) -> None:
        if keep and mode is GenerationMode.POSITIVE and "match" in case.path_parameters:
            case.path_parameters["match"] = at
        response = case.call(timeout=SECONDS)
        # Too large a head is refused whatever else it holds, and each line of NDJSON has its own answer, within a 200.
        is_lax = response.status_code == 431 or case.media_type == "application/x-ndjson"
        excluded = [*NOT_OURS, *(["negative_data_rejection"] if is_lax else [])]
        case.validate_response(response, excluded_checks=CHECKS.get_by_names(excluded))
        assert response.status_code < 500, response.text

    with suppress(Unsatisfiable):  # an operation without parameters cannot be asked wrongly
        behaves()
