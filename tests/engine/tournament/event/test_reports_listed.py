"""Twenty-three public bug reports about tournament programs, and where each is a test.

The tests of an event ask for the kind of fault, whatever made it there; where another room is asked too, it is named.
"""

import ast
from pathlib import Path
from typing import NamedTuple

import pytest


class Report(NamedTuple):
    number: int
    source: str
    file: str
    test: str
    also: tuple[str, ...] = ()
    """More tests, as ``<path under tests/engine/tournament>::<test>``."""


PEOPLE, PAIRING, RESULTS = "test_reports_of_people.py", "test_reports_of_pairing.py", "test_reports_of_results.py"
PAIR, ORACLE = "pairing/test_pair.py", "pairing/test_oracle.py"

REPORTS = (
    Report(
        1,
        "lila #6619",
        PEOPLE,
        "test_nobody_has_a_second_bye_before_everybody_had_one",
        (f"{PAIR}::test_nobody_has_a_second_bye_while_another_has_none",),
    ),
    Report(3, "lila #12497", PEOPLE, "test_who_comes_and_goes_around_the_pairings_is_absent_and_has_no_byes"),
    Report(5, "lila #8613", PEOPLE, "test_the_last_round_to_begin_with_is_a_number_and_missed_rounds_have_a_reason"),
    Report(
        7,
        "bbpPairings #27",
        PEOPLE,
        "test_the_reason_of_a_bye_names_what_kept_others_from_it",
        (f"{PAIR}::test_a_bye_says_who_was_passed_over_and_why",),
    ),
    Report(
        9,
        "ANRTournament #22",
        PEOPLE,
        "test_no_equal_candidate_for_the_bye_would_have_made_better_tables",
        (
            f"{ORACLE}::test_a_handful_is_paired_as_well_as_can_be",
            f"{PAIR}::test_a_bye_among_many_equals_falls_where_the_pods_are_best",
        ),
    ),
    Report(
        11,
        "cobra #521",
        PEOPLE,
        "test_those_who_had_a_bye_together_have_not_met",
        (f"{PAIR}::test_those_who_had_a_bye_together_are_mixed",),
    ),
    Report(
        13,
        "Cockatrice PR #7199",
        PEOPLE,
        "test_who_is_at_no_table_has_a_bye_and_nobody_is_forgotten",
        (f"{PAIR}::test_everybody_is_at_one_table_or_has_a_bye", f"{PAIR}::test_a_random_field_is_partitioned"),
    ),
    Report(15, "lila #12286", PEOPLE, "test_absence_is_of_each_person_and_not_of_the_table"),
    Report(
        17,
        "lila #7675",
        PAIRING,
        "test_eight_players_play_seven_rounds",
        (
            f"{PAIR}::test_eight_players_play_seven_rounds_at_tables_of_two",
            "formats/test_groups.py::test_eight_players_complete_seven_rounds",
            "formats/test_planned.py::test_eight_players_in_pairs_complete_seven_rounds",
        ),
    ),
    Report(
        19,
        "sendou.ink #2496",
        PAIRING,
        "test_the_gap_in_points_is_the_least_that_can_be",
        (f"{ORACLE}::test_two_dozen_are_paired_almost_as_well_as_is_proved",),
    ),
    Report(
        21,
        "lila #1773",
        PAIRING,
        "test_an_arena_does_not_seat_the_same_table_twice_running_while_others_are_there",
    ),
    Report(
        23,
        "BGA's page for the MSO",
        PAIRING,
        "test_the_weight_of_a_repeat_is_a_choice_and_its_price_is_told",
        (f"{PAIR}::test_the_weight_of_a_repeat_trades_repeats_for_spread",),
    ),
    Report(
        25,
        "Pantheon #838",
        PAIRING,
        "test_a_penalty_is_paired_by_as_it_stands",
        (
            f"{PAIR}::test_a_penalty_that_makes_points_negative_counts",
            "standings/test_policies.py::test_a_penalty_counts_for_the_standings_and_for_the_next_pairing_alike",
        ),
    ),
    Report(27, "lila #7353", PAIRING, "test_points_and_lots_pair_and_tie_breaks_do_not"),
    Report(29, "lila #7124", RESULTS, "test_an_event_does_not_end_while_a_table_plays_and_a_late_result_counts"),
    Report(
        31,
        "5stack #545",
        RESULTS,
        "test_of_two_last_results_that_race_one_is_first_and_the_round_closes_once",
        (f"event/{RESULTS}::test_the_same_last_confirmation_sent_twice_is_one_event",),
    ),
    Report(33, "woogles #892", RESULTS, "test_persons_of_a_result_are_the_persons_at_the_table"),
    Report(
        35,
        "woogles #762",
        RESULTS,
        "test_an_old_result_that_is_edited_moves_every_later_standing",
        ("standings/test_worked_example.py::test_an_older_round_that_is_corrected_moves_everything_after_it",),
    ),
    Report(37, "FTC scorekeeper #271", RESULTS, "test_a_table_that_is_played_again_counts_once"),
    Report(39, "OpenTourney #103", RESULTS, "test_a_round_that_is_published_has_no_results"),
    Report(41, "Pantheon #319", RESULTS, "test_the_newest_round_can_be_cancelled_until_the_next_is_drafted"),
    Report(
        43,
        "phase-rs #8234",
        RESULTS,
        "test_a_drop_in_round_one_leaves_the_final_where_it_was",
        ("formats/test_advance.py::test_a_drop_in_round_one_does_not_take_away_the_final",),
    ),
    Report(
        45,
        "scalachess #737",
        RESULTS,
        "test_only_closed_rounds_count_and_every_figure_is_a_sum_of_what_is_told",
        ("standings/test_laws.py::test_the_parts_of_every_key_add_up_to_it",),
    ),
)

HERE = Path(__file__).parent


def docstrings(path: Path) -> dict[str, str]:
    tree = ast.parse(path.read_text())
    return {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_none_of_the_twenty_three_is_missing() -> None:
    assert [report.number for report in REPORTS] == list(range(1, 46, 2))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.source)
def test_every_report_is_a_test_that_names_it(report: Report) -> None:
    assert docstrings(HERE / report.file)[report.test].startswith(report.source)
    for other in report.also:
        file, _, name = other.partition("::")
        assert name in docstrings(HERE.parent / file)
