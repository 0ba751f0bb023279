"""The order of play, named after the procedure vectors of the rules: buying, calling, swapping, going out, totals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cards import JOKER, Card, deck, parse_cards
from engine.contracts import hand_sizes, judge
from engine.judge import answer
from engine.ledger import GameStarted, HandScored, Ledger, RoundStarted
from engine.rules import Rules, load, with_options
from engine.scoring import exact_cut, penalty
from engine.table import (
    Buy,
    Call,
    Deal,
    Discard,
    Draw,
    EndTurn,
    LayDown,
    LayOff,
    NewMeld,
    NotAllowedError,
    Pass,
    Rearrange,
    Swap,
    Table,
)

SHANGHAI, CONTRACT, GO, MANIPULATION = (load(name) for name in ("shanghai", "contract", "go", "manipulation"))
FILLER = "2C 3D 4S 9C TD QH"


def table(
    rules: Rules, hands: list[str], upcard: str = "KS", round_number: int = 1, stock: str = "3C 6D 9S JC 2S 7D 5C QC"
) -> Table:
    """A table of Ana, Ben, Cy (who deals) and perhaps more, with these hands dealt, whatever their size."""
    names = ["Ana", "Ben", "Cy", "Dee", "Eve"][: len(hands)]
    found = Table(rules, names)
    found.round = round_number
    found.do(Deal(names[-1]))
    for seat, cards in zip(found.seats, hands, strict=True):
        seat.hand = list(parse_cards(cards))
    if not rules.rearrange:
        found.discards = list(parse_cards(upcard))
    found.stock = list(parse_cards(stock))
    return found


def play(found: Table, *actions: object) -> Table:
    for action in actions:
        found.do(action)  # type: ignore[arg-type]
    return found


def cards(text: str) -> tuple[Card, ...]:
    return parse_cards(text)


def melds(*texts: str) -> tuple[tuple[Card, ...], ...]:
    return tuple(parse_cards(text) for text in texts)


def down(rules: Rules = SHANGHAI, extra: str = "KD", others: str = FILLER, **kinds: object) -> Table:
    """Ana lays down two sets in round 1 and holds ``extra`` too."""
    found = table(rules, [f"8C 8D 8H 9C 9D 9H {extra}", others, FILLER], **kinds)  # type: ignore[arg-type]
    return play(found, Draw("Ana"), *skip_buys(found), LayDown("Ana", melds("8C 8D 8H", "9C 9D 9H")))


def skip_buys(found: Table) -> list[object]:
    """The others decline the up-card, where they are asked."""
    limit = found.rules.in_round(found.rules.buy_limit, 1)
    return [] if limit == 0 else [Pass(seat.name) for seat in found.seats[1:]]


def test_p01_a_third_buy_in_one_round_is_refused() -> None:
    found = table(SHANGHAI, [FILLER, FILLER, FILLER])
    found.seats[1].buys = 2
    found.do(Draw("Ana"))
    assert found.actor == "Cy"  # Ben is not even asked
    found.seats[2].buys = 2
    with pytest.raises(NotAllowedError, match="has bought 2 times"):
        found.do(Buy("Cy"))


def test_p02_a_buy_adds_the_discard_and_two_cards_and_no_turn() -> None:
    found = play(table(SHANGHAI, [FILLER, FILLER, FILLER]), Draw("Ana"), Buy("Ben"))
    assert found.seats[1].hand[-3:] == list(cards("KS 3C 6D"))
    assert (found.actor, found.phase) == ("Ana", "play")
    assert found.seats[0].hand[-1] is Card("9S")


def test_p03_the_nearest_buyer_after_the_active_player_is_asked_first() -> None:
    found = play(table(SHANGHAI, [FILLER, FILLER, FILLER]), Draw("Ana"))
    assert found.actor == "Ben"
    assert not found.can(Buy("Cy"))
    assert play(found, Pass("Ben")).can(Buy("Cy"))


def test_p03_the_active_player_has_first_refusal() -> None:
    found = play(table(SHANGHAI, [FILLER, FILLER, FILLER]), Draw("Ana", 1))
    assert (found.actor, found.phase, found.discards) == ("Ana", "play", [])


def called(option: str = "random") -> Table:
    rules = with_options(SHANGHAI, {"call_card": option})
    return play(down(rules, extra="KD 8S QH"), Discard("Ana", Card("8S")))


def test_p04_a_call_comes_before_a_buy() -> None:
    found = called()
    assert (found.phase, found.actor) == ("call", "Ben")
    play(found, Pass("Ben"), Call("Cy", 0))
    assert found.discards[-1] is Card("KS")
    assert (found.phase, found.actor) == ("draw", "Ben")
    assert not found.can(Draw("Ben", 1))


def test_p05_a_player_who_is_not_down_may_call() -> None:
    found = called()
    play(found, Call("Ben", 0))
    assert len(found.melds[0].laid.cards) == 4
    assert len(found.seats[0].hand) == 2  # KD, QH and the card drawn, less the card taken
    assert len(found.seats[1].hand) == 7


def test_a_chosen_card_has_to_be_in_the_hand_of_the_discarder() -> None:
    found = called("chosen")
    assert not found.can(Call("Ben", 0, JOKER))
    assert not found.can(Call("Ben", 7, Card("KD")))
    assert Call("Ben", 0, Card("KD")) in found.legal_actions()
    assert Card("KD") in play(found, Call("Ben", 0, Card("KD"))).seats[1].hand
    assert not called().can(Call("Ben", 0, Card("KD")))


def test_a_call_that_takes_the_last_card_puts_the_discarder_out() -> None:
    found = play(down(extra="8S"), Discard("Ana", Card("8S")), Call("Ben", 0))
    assert found.results[0].out == "Ana"


def test_nobody_calls_and_the_next_player_draws() -> None:
    found = play(called(), Pass("Ben"), Pass("Cy"))
    assert (found.phase, found.actor) == ("draw", "Ben")
    assert found.can(Draw("Ben", 1))


def test_a_protected_discard_may_be_neither_drawn_nor_bought_nor_called() -> None:
    found = play(down(extra="KD 8S"), Discard("Ana", Card("8S"), protect=True))
    assert (found.phase, found.actor) == ("draw", "Ben")
    with pytest.raises(NotAllowedError, match="protected"):
        found.do(Draw("Ben", 1))
    assert play(found, Draw("Ben")).phase == "play"


def test_only_a_card_that_fits_is_protected() -> None:
    found = down(extra="KD QH")
    with pytest.raises(NotAllowedError, match="fits no meld"):
        found.do(Discard("Ana", Card("KD"), protect=True))
    silent = down(with_options(SHANGHAI, {"shanghai_call": False}), extra="KD 8S")
    with pytest.raises(NotAllowedError, match="nothing to protect"):
        silent.do(Discard("Ana", Card("8S"), protect=True))


def test_p06_no_lay_off_before_the_own_contract() -> None:
    found = play(down(others="8S KH 2D"), Discard("Ana", Card("KD")), Draw("Ben"), Pass("Cy"))
    with pytest.raises(NotAllowedError, match="own contract has to be down first"):
        found.do(LayOff("Ben", Card("8S"), 0))


def test_p07_shanghai_lays_off_in_the_turn_of_the_contract() -> None:
    found = play(down(extra="8S KD"), LayOff("Ana", Card("8S"), 0))
    assert found.melds[0].laid.cards == cards("8C 8D 8H 8S")


def test_p08_contract_rummy_does_not() -> None:
    with pytest.raises(NotAllowedError, match="wait for the next turn"):
        down(CONTRACT, extra="8S KD").do(LayOff("Ana", Card("8S"), 0))


def swapping(rules: Rules, first: str, second: str = "9S 10S JS QS", hand: str = "7H KD 4D") -> Table:
    """Ana has laid down two runs in an earlier turn of round 3."""
    found = table(rules, [f"{first} {second} {hand}", FILLER, FILLER], round_number=3)
    play(found, Draw("Ana"), *skip_buys(found), LayDown("Ana", melds(first, second)))
    found.turn += len(found.seats)
    return found


def test_p09_no_swap_in_the_turn_of_the_contract() -> None:
    found = swapping(SHANGHAI, "5H 6H JK 8H")
    found.turn -= 3
    with pytest.raises(NotAllowedError, match="only in a turn after"):
        found.do(Swap("Ana", Card("7H"), 0))


def test_p10_no_swap_from_a_set() -> None:
    question = {"kind": "swap", "rules": "shanghai", "meld": "8C 8D JK", "card": "8H", "down": "earlier"}
    assert [fault["code"] for fault in answer(question)["faults"]] == ["set_is_dead"]


def test_p11_a_swapped_joker_is_laid_off_in_the_same_turn() -> None:
    found = play(swapping(SHANGHAI, "5H 6H JK 8H"), Swap("Ana", Card("7H"), 0), LayOff("Ana", JOKER, 1))
    assert found.melds[0].laid.cards == cards("5H 6H 7H 8H")
    assert JOKER in found.melds[1].laid.cards


def test_p12_a_swapped_joker_may_not_be_kept() -> None:
    found = play(swapping(SHANGHAI, "5H 6H JK 8H"), Swap("Ana", Card("7H"), 0))
    with pytest.raises(NotAllowedError, match="has to be laid off first"):
        found.do(Discard("Ana", Card("KD")))
    assert all(isinstance(action, LayOff) and action.card is JOKER for action in found.legal_actions())


def test_p13_contract_rummy_keeps_the_joker() -> None:
    found = play(swapping(CONTRACT, "5H 6H JK 8H"), Swap("Ana", Card("7H"), 0), Discard("Ana", Card("KD")))
    assert JOKER in found.seats[0].hand


def test_p14_may_i_never_swaps() -> None:
    question = {"kind": "swap", "rules": "may_i", "meld": "5H 6H JK 8H", "card": "7H", "down": "earlier"}
    assert [fault["code"] for fault in answer(question)["faults"]] == ["not_in_this_game"]


def test_p15_go_swaps_a_two_into_the_hand() -> None:
    found = play(swapping(GO, "5H 6H 2D 8H"), Swap("Ana", Card("7H"), 0))
    assert Card("2D") in found.seats[0].hand


def test_p16_one_card_is_kept_for_the_discard() -> None:
    found = down(extra="8S", stock="8C 6D 9S JC")
    play(found, LayOff("Ana", Card("8S"), 0))
    with pytest.raises(NotAllowedError, match="kept for the discard"):
        found.do(LayOff("Ana", Card("8C"), 0))
    assert play(found, Discard("Ana", Card("8C"))).results[0].out == "Ana"


def test_p17_where_no_discard_goes_out_the_last_card_is_not_discarded() -> None:
    found = down(with_options(SHANGHAI, {"out_discard": "forbidden"}), extra="8S")
    assert not found.can(EndTurn("Ana"))
    play(found, LayOff("Ana", Card("8S"), 0))
    with pytest.raises(NotAllowedError, match="the last card has to be played"):
        found.do(Discard("Ana", Card("3C")))
    play(found, EndTurn("Ana"))
    assert (found.actor, found.seats[0].hand) == ("Ben", [Card("3C")])


def test_p18_twelve_of_thirteen_cards_are_not_the_whole_hand() -> None:
    found = judge(SHANGHAI, 7, melds("2S 3S 4S 5S", "6H 7H 8H 9H", "JC QC KC AC"), cards("9D"))
    assert [fault.kind.value for fault in found.faults] == ["card_left"]
    hand = "2S 3S 4S 5S 6H 7H 8H 9H JC QC KC AC"
    game = table(SHANGHAI, [hand, FILLER, FILLER], round_number=7)
    play(game, Draw("Ana"), Pass("Ben"), Pass("Cy"))
    assert not game.can(LayDown("Ana", melds("2S 3S 4S 5S", "6H 7H 8H 9H", "JC QC KC AC")))
    game.seats[0].hand.remove(Card("3C"))
    play(game, LayDown("Ana", melds("2S 3S 4S 5S", "6H 7H 8H 9H", "JC QC KC AC")))
    assert (game.results[0].out, game.phase) == ("Ana", "over")


@pytest.mark.parametrize(
    ("rules", "sizes"),
    [
        pytest.param(SHANGHAI, (12, 15, 18), id="P19"),
        pytest.param(CONTRACT, (13, 15, 17, 19), id="P20"),
        pytest.param(with_options(SHANGHAI, {"buy_cards": 1}), (12, 14, 16), id="P21"),
        pytest.param(with_options(SHANGHAI, {"buy_cards": 1, "buy_limit": 3}), (12, 14, 16, 18), id="P21-three-buys"),
    ],
)
def test_hand_sizes_in_round_seven(rules: Rules, sizes: tuple[int, ...]) -> None:
    assert hand_sizes(rules, 7)[:4] == sizes


def test_p22_no_two_discards_running_for_one_buyer() -> None:
    found = table(CONTRACT, [FILLER, FILLER, FILLER, FILLER])
    play(found, Draw("Ana"), Buy("Ben"), Discard("Ana", Card("2C")), Draw("Ben"))
    play(found, Pass("Cy"), Pass("Dee"), Discard("Ben", Card("2C")), Draw("Cy"))
    assert found.actor == "Dee"
    play(found, Buy("Dee"), Discard("Cy", Card("2C")), Draw("Dee"))
    assert found.can(Buy("Ana"))
    again = table(CONTRACT, [FILLER, FILLER, FILLER, FILLER])
    play(again, Draw("Ana"), Pass("Ben"), Buy("Cy"), Discard("Ana", Card("2C")), Draw("Ben"))
    assert again.actor == "Dee"  # Cy bought the discard before and is passed over


def test_p23_no_buying_after_the_own_contract() -> None:
    found = play(down(CONTRACT), Discard("Ana", Card("KD")), Draw("Ben"), Pass("Cy"))
    play(found, Discard("Ben", Card("2C")), Draw("Cy"))
    assert (found.actor, found.phase) == ("Ben", "play") or found.actor == "Cy"
    assert not found.can(Buy("Ana"))


@pytest.mark.parametrize(("players", "jokers", "total"), [(3, 2, 106), (4, 3, 107), (5, 4, 108)])
def test_p24_contract_rummy_has_one_joker_fewer_than_players(players: int, jokers: int, total: int) -> None:
    assert CONTRACT.pack_for(players) == (2, jokers)
    assert len(deck(*CONTRACT.pack_for(players))) == total


def test_p25_may_i_has_a_pack_for_every_two_players() -> None:
    assert [load("may_i").pack_for(players)[0] for players in range(4, 9)] == [2, 3, 3, 4, 4]


@pytest.mark.parametrize(("cut", "bonus"), [(41, -50), (40, 0), (None, 0)])
def test_p26_liverpool_pays_the_exact_cut(cut: int | None, bonus: int) -> None:
    liverpool = load("liverpool")
    assert exact_cut(liverpool, 4, 1) == 41
    assert exact_cut(with_options(liverpool, {"cut_counts_upcard": False}), 4, 1) == 40
    found = Table(liverpool, ["Ana", "Ben", "Cy", "Dee"])
    found.do(Deal("Dee", cut))
    found.stock, found.discards = [], []
    play(found, Draw("Ana"))
    assert found.totals["Cy"] == found.results[0].points["Cy"] + bonus
    assert not found.can(Deal("Ana", 0))


def test_p27_go_takes_a_deep_discard_with_all_above_it() -> None:
    found = table(GO, [FILLER, FILLER, FILLER], upcard="KS 4D 5D 6D 7D")
    play(found, Draw("Ana", 4))
    assert found.seats[0].hand[-4:] == list(cards("4D 5D 6D 7D"))
    assert found.discards == list(cards("KS"))


def down_earlier(rules: Rules, number: int, first: str, second: str, hand: str) -> Table:
    found = table(rules, [f"{first} {second} {hand}", FILLER, FILLER], round_number=number)
    play(found, Draw("Ana"), LayDown("Ana", melds(first, second)))
    found.turn += 3
    return found


def test_p28_go_allows_no_new_run_in_a_round_of_sets() -> None:
    found = down_earlier(GO, 1, "8C 8D 8H", "9C 9D 9H", "4S 5S 6S 7S KD")
    with pytest.raises(NotAllowedError, match="only sets go down"):
        found.do(NewMeld("Ana", cards("4S 5S 6S 7S")))


def test_p29_go_allows_a_new_run_where_the_contract_has_one() -> None:
    found = down_earlier(GO, 2, "8C 8D 8H", "9C TC JC QC", "4S 5S 6S 7S KD")
    assert NewMeld("Ana", cards("4S 5S 6S 7S")) in found.legal_actions()
    assert len(play(found, NewMeld("Ana", cards("4S 5S 6S 7S"))).melds) == 3


def test_shanghai_allows_no_new_meld_and_go_none_that_is_no_meld() -> None:
    assert not down(extra="KD KC KH 5C").can(NewMeld("Ana", cards("KD KC KH")))
    found = down_earlier(GO, 2, "8C 8D 8H", "9C TC JC QC", "4S 5S 6S KD")
    assert not found.can(NewMeld("Ana", cards("4S 5S 6S")))


def manipulating(hands: list[str], *on_table: str, rules: Rules = MANIPULATION, stock: str = "KC KD") -> Table:
    found = table(rules, hands, stock=stock)
    if on_table:
        found.seats[0].hand += [card for meld in on_table for card in parse_cards(meld)]
        play(found, Rearrange("Ana", melds(*on_table)))
        found._active = 0
    return found


def test_p30_melds_are_rearranged_and_all_legal_at_the_end() -> None:
    found = manipulating(["6H 7H 4C", "KC", "QC"], "5H 6H 7H 8H")
    play(found, Rearrange("Ana", melds("5H 6H 7H", "6H 7H 8H")))
    assert found.seats[0].hand == [Card("4C")]
    assert found.actor == "Ben"


def test_p31_no_card_is_taken_from_the_table() -> None:
    found = manipulating(["9H 7D 4C", "KC", "QC"], "5H 6H 7H 8H")
    with pytest.raises(NotAllowedError, match="5♥ must stay on the table"):
        found.do(Rearrange("Ana", melds("6H 7H 8H 9H")))
    with pytest.raises(NotAllowedError, match="does not hold 4♥"):
        found.do(Rearrange("Ana", melds("4H 5H 6H 7H 8H")))
    with pytest.raises(NotAllowedError, match="not of the rank"):
        found.do(Rearrange("Ana", melds("5H 6H 7H 8H", "9H 7D 4C")))


def test_p32_the_others_pay_a_point_a_card() -> None:
    found = manipulating(["4H", "KC QC TC 9C", "QC"], "5H 6H 7H 8H")
    play(found, Rearrange("Ana", melds("4H 5H 6H 7H 8H")))
    assert found.results[0].points == {"Ana": 0, "Ben": 4, "Cy": 1}


def test_p33_who_reaches_the_target_loses() -> None:
    rules = with_options(MANIPULATION, {"target": 4})
    found = manipulating(["4H", "KC QC TC 9C", "QC"], "5H 6H 7H 8H", rules=rules)
    play(found, Rearrange("Ana", melds("4H 5H 6H 7H 8H")))
    assert (found.phase, found.winners, found.actor) == ("over", ("Ana",), None)
    assert not found.can(Deal("Ana"))
    assert found.legal_actions() == []


def test_two_cards_are_played_where_two_can_be() -> None:
    found = manipulating(["4H 9H KD", "KC", "QC"], "5H 6H 7H 8H")
    with pytest.raises(NotAllowedError, match="must play 2"):
        found.do(Rearrange("Ana", melds("4H 5H 6H 7H 8H")))
    one = manipulating(["4H 9H KD", "KC", "QC"], "5H 6H 7H 8H", rules=with_options(MANIPULATION, {"min_play": 1}))
    assert one.can(Rearrange("Ana", melds("4H 5H 6H 7H 8H")))


def test_who_can_play_may_not_draw_and_who_cannot_draws_until_able() -> None:
    found = manipulating(["4H KD", "KC", "QC"], "5H 6H 7H 8H")
    with pytest.raises(NotAllowedError, match="can play, and so must"):
        found.do(Draw("Ana"))
    stuck = manipulating(["KD", "KC", "QC"], "5H 6H 7H 8H", stock="2D 9H")
    play(stuck, Draw("Ana"))
    assert stuck.legal_actions() == [Draw("Ana")]
    assert not stuck.can(EndTurn("Ana"))
    assert isinstance(play(stuck, Draw("Ana")).legal_actions()[0], Rearrange)


def test_without_the_obligation_a_drawn_card_may_be_kept() -> None:
    rules = with_options(MANIPULATION, {"strict_obligation": False})
    found = manipulating(["4H KD", "KC", "QC"], "5H 6H 7H 8H", rules=rules)
    assert not found.can(EndTurn("Ana"))
    assert play(found, Draw("Ana"), EndTurn("Ana")).actor == "Ben"


def test_the_round_ends_when_all_pass_over_an_empty_stock() -> None:
    found = manipulating(["KD", "KC", "QC"], "5H 6H 7H 8H", stock="")
    assert not found.can(Draw("Ana"))
    play(found, Pass("Ana"), Pass("Ben"))
    assert found.legal_actions() == [Pass("Cy")]
    assert play(found, Pass("Cy")).results[0].out is None


def ledger(*rounds: dict[str, str], players: tuple[str, ...] = ("Ana", "Ben", "Cy", "Dee")) -> Ledger:
    found = Ledger().append(GameStarted(rules="shanghai", players=players))
    for number, hands in enumerate(rounds, start=1):
        found = found.append(RoundStarted(round=number))
        for player, hand in hands.items():
            found = found.append(HandScored(round=number, player=player, cards=cards(hand)))
    return found


HAND_3 = {"Ana": "", "Ben": "9C KD 3S", "Cy": "AC 6D JK", "Dee": "2C 2D QS 7H"}


def test_p34_the_worked_example_of_hand_three() -> None:
    assert ledger(HAND_3).game.totals == {"Ana": 0, "Ben": 25, "Cy": 75, "Dee": 25}
    assert penalty(cards("4C TD AS JK"), SHANGHAI).points == 85


def test_p35_equal_lowest_totals_are_a_tie() -> None:
    rounds = [{"Ana": "", "Ben": "2C", "Cy": "2D", "Dee": "KD"}, {"Ana": "3C", "Ben": "", "Cy": "2D", "Dee": "KD"}]
    rounds += [{"Ana": "KC", "Ben": "KS", "Cy": "", "Dee": "AS"}] * 5
    game = ledger(*rounds).game
    assert game.finished
    assert game.winners == ("Cy",)
    tied = ledger(*(rounds[:2] + [{"Ana": "KC", "Ben": "KS", "Cy": "AH", "Dee": ""}] * 5)).game
    assert tied.winners == ("Dee",)
    even = ledger(*(rounds[:2] + [{"Ana": "KC", "Ben": "KS", "Cy": "AH", "Dee": "AS"}] * 5)).game
    assert even.winners == ("Ana", "Ben")


def test_p36_a_missing_hand_keeps_the_game_open_and_is_named() -> None:
    rounds = [HAND_3] * 6 + [{"Ana": "", "Ben": "9C", "Dee": "KD"}]
    game = ledger(*rounds).game
    assert not game.finished
    assert game.winners == ()
    assert game.doubts == ("Round 7 is missing for Cy.",)


def test_p37_exactly_one_player_goes_out() -> None:
    (nobody,) = ledger(HAND_3 | {"Ana": "4C"}).game.doubts
    assert "Nobody went out in round 1" in nobody
    (two,) = ledger(HAND_3 | {"Ben": ""}).game.doubts
    assert "Ana and Ben both went out" in two


def test_the_stock_is_the_discards_again_and_the_top_one_stays() -> None:
    found = table(SHANGHAI, [FILLER, FILLER, FILLER], upcard="KS 4D 5D", stock="3C")
    play(found, Draw("Ana"), Pass("Ben"), Pass("Cy"), Discard("Ana", Card("3C")), Draw("Ben"), Pass("Cy"))
    assert found.discards == [Card("3C")]
    assert len(found.stock) == 2


def test_a_dead_stock_ends_the_round() -> None:
    found = table(SHANGHAI, [FILLER, FILLER, FILLER], stock="")
    play(found, Draw("Ana"))
    assert (found.phase, found.results[0].out, found.actor) == ("deal", None, "Ana")
    bounded = with_options(SHANGHAI, {"stock_rebuilds": 0})
    found = table(bounded, [FILLER, FILLER, FILLER], upcard="KS 4D 5D", stock="")
    assert play(found, Draw("Ana")).results


def test_carioca_draws_no_discard_after_the_contract() -> None:
    carioca = load("carioca")
    found = table(carioca, ["8C 8D 8H 9C 9D 9H KD KC", FILLER])
    play(found, Draw("Ana"), LayDown("Ana", melds("8C 8D 8H", "9C 9D 9H")), Discard("Ana", Card("KD")))
    play(found, Draw("Ben"), Discard("Ben", Card("2C")))
    with pytest.raises(NotAllowedError, match="from the stock only"):
        found.do(Draw("Ana", 1))


def test_discards_that_are_not_there_are_not_drawn() -> None:
    found = table(SHANGHAI, [FILLER, FILLER, FILLER], upcard="KS 4D")
    assert not found.can(Draw("Ana", 3))
    assert not found.can(Draw("Ana", 2))
    assert not found.can(Draw("Ana", -1))


def test_a_contract_goes_down_once_from_the_own_hand_and_keeps_a_card() -> None:
    found = down()
    with pytest.raises(NotAllowedError, match="down already"):
        found.do(LayDown("Ana", melds("8C 8D 8H", "9C 9D 9H")))
    other = play(table(SHANGHAI, ["8C 8D 8H 9C 9D KD KC", FILLER, FILLER]), Draw("Ana"), Pass("Ben"), Pass("Cy"))
    with pytest.raises(NotAllowedError, match="does not hold 9♥"):
        other.do(LayDown("Ana", melds("8C 8D 8H", "9C 9D 9H")))
    with pytest.raises(NotAllowedError, match="is not of the rank"):
        other.do(LayDown("Ana", melds("8C 8D 8H", "9C 9D KD")))
    bare = play(table(SHANGHAI, ["8C 8D 8H 9C 9D", FILLER, FILLER], stock="9H"), Draw("Ana"))
    assert not play(bare, *[Pass(bare.actor or "")] * 0).can(LayDown("Ana", melds("8C 8D 8H", "9C 9D 9H")))


def test_a_blind_player_earns_the_bonus() -> None:
    rules = with_options(SHANGHAI, {"blind_bonus": True})
    found = play(down(rules, extra=""), Discard("Ana", Card("3C")))
    assert found.results[0].bonuses == {"Ana": -50}


def test_narrowing_one_joker_settles_the_other() -> None:
    """3-4-5-JK and 8-9-10-JK: one joker as 6 and the other as 7 would adjoin, so fixing one fixes the other."""
    found = swapping(SHANGHAI, "3H 4H 5H JK", "8H 9H TH JK", hand="7H KD 4D")
    assert [len(meld.laid.readings) for meld in found.melds] == [2, 2]
    play(found, LayOff("Ana", Card("7H"), 0))
    assert [str(reading) for reading in found.melds[0].laid.readings] == ["3-7♥ (wild: 6♥)"]
    assert [str(reading) for reading in found.melds[1].laid.readings] == ["8-J♥ (wild: J♥)"]


def test_a_joker_slides_where_house_rules_let_it() -> None:
    melds_down = ("3H 4H 5H JK", "8S 9S TS JS")
    fixed = play(swapping(SHANGHAI, *melds_down, hand="7H 6H KD 4D"), LayOff("Ana", Card("7H"), 0))
    assert not fixed.can(LayOff("Ana", Card("6H"), 0))
    rules = with_options(SHANGHAI, {"joker_slides": True})
    found = play(swapping(rules, *melds_down, hand="7H 6H KD 4D"), LayOff("Ana", Card("7H"), 0))
    play(found, LayOff("Ana", Card("6H"), 0))
    assert [str(reading) for reading in found.melds[0].laid.readings] == ["2-7♥ (wild: 2♥)", "3-8♥ (wild: 8♥)"]


def test_an_extra_hand_settles_a_tie_between_the_tied() -> None:
    rules = replace(SHANGHAI, contracts=SHANGHAI.contracts[:1], rounds=1, whole_hand_last=False, tie="extra_hand")
    lone = play(table(rules, ["2C", "KD", "QS 2C"], stock=""), Draw("Ana"))
    assert (lone.phase, lone.winners) == ("over", ("Ana",))
    found = play(table(rules, ["KC", "KD", "QS 2C"], stock=""), Draw("Ana"))
    assert (found.phase, found.round, found.winners) == ("deal", 2, ())
    play(found, Deal(found.actor or ""))
    assert [seat.name for seat in found.seats] == ["Ana", "Ben"]
    found.stock, found.discards, found.seats[0].hand = [], [], [Card("2C")]
    play(found, Draw(found.actor or ""))
    assert (found.phase, found.winners) == ("over", ("Ana",))
