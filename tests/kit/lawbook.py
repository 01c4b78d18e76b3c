"""Which laws there are: every game keeps them all, a very large table those that do not look with every seat's eyes."""

from tests.kit import laws
from tests.kit.laws import Law
from tests.kit.recall import recalling_ends_in_the_present
from tests.kit.twins import twins_cannot_be_told_apart

LAWS: tuple[Law, ...] = (
    laws.histories_fold_to_the_same_states,
    laws.decoding_undoes_encoding,
    laws.an_export_verifies,
    laws.exactly_the_pending_seats_have_legal_commands,
    laws.legal_commands_are_sorted_and_unique,
    laws.every_legal_command_is_accepted_from_its_seat_alone,
    laws.a_refusal_changes_nothing,
    laws.menus_lead_to_legal_commands_and_to_all_of_them,
    laws.menus_are_the_same_from_the_seat,
    laws.the_default_is_legal,
    laws.what_a_game_picks_is_legal,
    laws.play_ends_with_every_seat_ranked,
    laws.a_view_folds_like_the_state,
    laws.looking_twice_shows_no_more,
    recalling_ends_in_the_present,
    laws.everybody_knows_who_is_to_move,
    laws.scores_are_public_and_add_up,
    laws.boards_are_pictures_of_the_view,
    laws.every_event_has_words_or_is_silent_for_all,
    twins_cannot_be_told_apart,
)
LAWS_OF_LARGE_TABLES: tuple[Law, ...] = (
    laws.an_export_verifies,
    laws.play_ends_with_every_seat_ranked,
    laws.boards_are_pictures_of_the_view,
)
