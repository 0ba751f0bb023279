"""Games by the API, on SQLite and on PostgreSQL: starting, recording, correcting, in spite of each other."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from api.store import guesses
from api.store.database import ago
from api.store.tables import GUESSES
from engine.cards import parse_cards
from tests.api.conftest import NoScanner, Phone


def detail(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return str(answer.json()["detail"])


def invite(host: Any, game: str, role: str = "player") -> Any:
    answer = host.http.post(f"/api/games/{game}/invite", json={"role": role})
    assert answer.status_code == 200, answer.text
    return answer.json()


def seat(host: Any, guest: Any, game: str, role: str = "player") -> None:
    joined = guest.http.post("/api/join", json={"code": invite(host, game, role)["code"]})
    assert joined.json()["game"] == game, joined.text


def round_one(phone: Any, game: str) -> None:
    phone.hand(game, 1, "Ana", "")
    phone.hand(game, 1, "Ben", "9C KD 3S")
    phone.hand(game, 1, "Cy", "JK 4D")


# A game ---------------------------------------------------------------------------------------------------------


def test_a_new_game_is_ready_for_its_first_round(ana: Any) -> None:
    board = ana.board(ana.start(dealer="Ben", options={"buy_limit": 3}, name="Saturday"))
    assert board["name"] == "Saturday"
    assert board["role"] == "host"
    assert board["rules"]["options"] == {"buy_limit": 3}
    now = board["round"]
    assert (now["number"], now["of"], now["dealer"], now["deal"]) == (1, 7, "Ben", 11)
    assert now["contract"]["words"] == "2 sets of 3"
    assert now["states"] == {"Ana": "waiting", "Ben": "waiting", "Cy": "waiting"}
    assert board["next_round"]["dealer"] == "Cy"
    assert board["undo"] is None
    assert board["leaders"] == []


def test_recorded_hands_add_up(ana: Any) -> None:
    game = ana.start()
    round_one(ana, game)
    board = ana.board(game)
    assert board["totals"] == {"Ana": 0, "Ben": 25, "Cy": 55}
    assert board["leaders"] == ["Ana"]
    assert board["round"]["states"] == {"Ana": "out", "Ben": "confirmed", "Cy": "confirmed"}
    assert board["round"]["missing"] == []
    cell = board["rounds"][0]["cells"]["Ben"]
    assert cell["text"] == "9♣ 10 + K♦ 10 + 3♠ 5 = 25"
    assert (cell["by"], cell["running"], cell["out"], cell["corrected"]) == ("Ana's phone", 25, False, False)
    ana.next_round(game, 2)
    board = ana.board(game)
    assert (board["round"]["number"], board["round"]["dealer"]) == (2, "Ben")
    assert [row["dealer"] for row in board["rounds"]] == ["Ana", "Ben"]


def test_round_one_can_be_corrected_after_round_three(ana: Any) -> None:
    game = ana.start()
    round_one(ana, game)
    for number in (2, 3):
        ana.next_round(game, number)
        ana.hand(game, number, "Ana", "5C")
        ana.hand(game, number, "Ben", "")
        ana.hand(game, number, "Cy", "TD")
    of = ana.board(game)["rounds"][0]["cells"]["Cy"]["event"]
    answer = ana.record(game, "hand_corrected", of=of, cards="JK 4D 4H")
    assert answer.json()["points"] == 60
    board = ana.board(game)
    assert board["totals"]["Cy"] == 60 + 10 + 10
    assert board["rounds"][2]["cells"]["Cy"]["running"] == 80
    assert board["rounds"][0]["cells"]["Cy"]["corrected"] is True
    assert board["undo"]["text"] == "Cy, round 1 corrected: Joker 50 + 4♦ 5 + 4♥ 5 = 60"
    assert ana.record(game, "undo").status_code == 201
    assert ana.board(game)["totals"]["Cy"] == 75


def test_undo_goes_back_to_the_start_and_no_further(ana: Any) -> None:
    game = ana.start()
    ana.hand(game, 1, "Ben", "9C")
    ana.record(game, "bonus_given", round=1, player="Cy", points=-50, reason="exact cut")
    assert ana.board(game)["undo"]["text"] == "50 points off for Cy in round 1, exact cut"
    for _ in range(2):
        assert ana.record(game, "undo").status_code == 201
    assert ana.board(game)["totals"] == {"Ana": 0, "Ben": 0, "Cy": 0}
    assert "nothing to undo" in detail(ana.record(game, "undo"), 422)


def test_a_voided_entry_comes_back_when_that_is_voided(ana: Any) -> None:
    game = ana.start()
    number = ana.hand(game, 1, "Ben", "9C")["number"]
    void = ana.record(game, "voided", of=number).json()
    assert ana.board(game)["totals"]["Ben"] == 0
    ana.record(game, "voided", of=void["number"])
    assert ana.board(game)["totals"]["Ben"] == 10
    lines = ana.get(f"/api/games/{game}/events?after={number - 1}").json()
    assert [line["stands"] for line in lines["entries"]] == [True, False, True]
    assert lines["entries"][1]["text"] == "taken back: Ben, round 1: 9♣ 10 = 10"


def test_a_hand_can_be_moved_and_settings_changed(ana: Any) -> None:
    game = ana.start()
    number = ana.hand(game, 1, "Ben", "JK")["number"]
    ana.record(game, "hand_moved", of=number, player="Cy")
    assert ana.board(game)["totals"] == {"Ana": 0, "Ben": 0, "Cy": 50}
    ana.record(game, "settings_changed", options={"joker_points": 25})
    board = ana.board(game)
    assert board["totals"]["Cy"] == 25
    assert board["rules"]["options"] == {"joker_points": 25}
    assert ana.get(f"/api/rules/shanghai?game={game}").json()["points"][-1] == {"cards": "Joker", "points": 25}


def test_players_come_and_go(ana: Any) -> None:
    game = ana.start()
    round_one(ana, game)
    assert ana.record(game, "player_joined", player="Dan", points=40).status_code == 201
    ana.record(game, "hand_scored", round=1, player="Dan", cards="2C")
    assert ana.record(game, "player_left", player="Ben").status_code == 201
    ana.next_round(game, 2)
    board = ana.board(game)
    assert board["totals"] == {"Ana": 0, "Ben": 25, "Cy": 55, "Dan": 45}
    assert board["round"]["missing"] == ["Ana", "Cy", "Dan"]
    assert board["round"]["dealer"] == "Cy"  # Ben would have dealt


def test_a_target_game_has_no_contracts(ana: Any) -> None:
    game = ana.start("manipulation")
    board = ana.board(game)
    assert board["rules"]["contracts"] is False
    assert board["round"]["contract"] is None
    ana.hand(game, 1, "Ana", "")
    ana.hand(game, 1, "Ben", "9C KD 3S")
    assert ana.board(game)["totals"]["Ben"] == 3


def test_seven_rounds_with_a_tie_are_a_finished_game(ana: Any) -> None:
    game = ana.start()
    for number in range(1, 8):
        if number > 1:
            ana.next_round(game, number)
        out = "Cy" if number == 7 else ("Ana", "Ben", "Cy")[number % 3]
        for player in ("Ana", "Ben", "Cy"):
            ana.hand(game, number, player, "" if player == out else "9C" if player != "Cy" else "9C JK")
    board = ana.board(game)
    assert board["finished"]
    assert board["next_round"] is None
    assert board["totals"] == {"Ana": 50, "Ben": 50, "Cy": 240}
    assert board["winners"] == ["Ana", "Ben"]
    past = ana.get("/api/history").json()
    assert past["games"][0]["winners"] == board["winners"]
    cy = next(line for line in past["players"] if line["name"] == "Cy")
    assert cy["worst"]["points"] == 60
    assert cy["games"] == 1
    assert "over" in detail(ana.record(game, "round_started", round=8), 422)


def test_games_are_listed_the_last_changed_first(ana: Any, ben: Any) -> None:
    first, second = ana.start(), ana.start("go", name="Go")
    ana.hand(first, 1, "Ben", "9C")
    assert {line["id"] for line in ana.get("/api/games").json()} == {first, second}
    assert ben.get("/api/games").json() == []


def test_a_deleted_game_is_gone(ana: Any) -> None:
    game = ana.start()
    assert ana.http.delete(f"/api/games/{game}").status_code == 204
    assert "no such game" in detail(ana.get(f"/api/games/{game}"), 404)
    assert ana.get("/api/games").json() == []


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"rules": "shanghai", "players": ["Ana"]}, 422, "3 to 5 players"),
        ({"rules": "shanghai", "players": ["Ana", "Ana", "Ben"]}, 422, "name of their own"),
        ({"rules": "bridge", "players": ["Ana", "Ben", "Cy"]}, 404, "no rules named"),
        ({"rules": "../../secret.toml", "players": ["Ana", "Ben", "Cy"]}, 404, "no rules named"),
        ({"rules": "shanghai", "players": ["Ana", "Ben", "Cy"], "options": {"joker_kap": 1}}, 422, "joker_cap"),
        ({"rules": "shanghai", "players": ["Ana", "Ben", "Cy"], "dealer": "Dan"}, 422, "Dan is not in this game"),
        ({"rules": "shanghai", "players": ["A\u0000", "Ben", "Cy"]}, 422, "cannot be shown"),
        ({"rules": "shanghai", "players": ["A\ud800", "Ben", "Cy"]}, 422, "players"),
        ({"rules": "shanghai", "players": ["Ana", "Ben", "Cy"], "seats": 3}, 422, "seats"),
    ],
)
def test_a_game_that_cannot_be_is_refused(ana: Any, body: Any, status: int, words: str) -> None:
    import json

    answer = ana.http.post(
        "/api/games",
        content=json.dumps(body),
        headers={"Idempotency-Key": "12345678", "content-type": "application/json"},
    )
    assert words in detail(answer, status)
    assert ana.get("/api/games").json() == []


# Once, and not unseen -------------------------------------------------------------------------------------------


def test_the_same_request_twice_is_recorded_once(ana: Any) -> None:
    game = ana.start()
    sent = {"seen": 3, "key": "capture-1", "round": 1, "player": "Ben", "cards": "9C"}
    first, again = (ana.record(game, "hand_scored", **sent) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert ana.board(game)["revision"] == 4
    other = ana.record(game, "hand_scored", **{**sent, "cards": "9D"})
    assert "another request" in detail(other, 422)


def test_a_key_is_one_devices_own(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game)
    ana.hand(game, 1, "Ana", "9C", key="capture-1")
    ben.hand(game, 1, "Ben", "9C", key="capture-1")
    assert ana.board(game)["totals"] == {"Ana": 10, "Ben": 10, "Cy": 0}


def test_starting_a_game_twice_with_one_key_starts_one(ana: Any) -> None:
    body = {"rules": "go", "players": ["Ana", "Ben", "Cy"]}
    first, again = (ana.http.post("/api/games", json=body, headers={"Idempotency-Key": "start-01"}) for _ in range(2))
    assert first.json() == again.json()
    assert len(ana.get("/api/games").json()) == 1


def test_what_a_request_must_say(ana: Any) -> None:
    game = ana.start()
    body = {"kind": "hand_scored", "round": 1, "player": "Ben", "cards": "9C"}
    path = f"/api/games/{game}/events"
    assert "Idempotency-Key" in detail(ana.http.post(path, json=body, headers={"If-Match": '"3"'}), 400)
    short = {"If-Match": '"3"', "Idempotency-Key": "abc"}
    assert "Idempotency-Key" in detail(ana.http.post(path, json=body, headers=short), 400)
    assert "If-Match" in detail(ana.http.post(path, json=body, headers={"Idempotency-Key": "12345678"}), 428)
    wrong = {"If-Match": "newest", "Idempotency-Key": "12345678"}
    assert "If-Match" in detail(ana.http.post(path, json=body, headers=wrong), 400)


def test_the_second_phone_to_score_a_hand_sees_both(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game)
    seen = ana.board(game)["revision"]
    ana.hand(game, 1, "Cy", "JK 4H", seen=seen)
    answer = ben.record(game, "hand_scored", seen=seen, round=1, player="Cy", cards="JK 4D")
    assert "Ana's phone has recorded Cy's hand of round 1" in detail(answer, 409)
    told = answer.json()
    assert told["type"] == "urn:meldsight:conflict"
    assert told["yours"] == {"kind": "hand_scored", "round": 1, "player": "Cy", "cards": "JK 4D"}
    assert [line["event"]["cards"] for line in told["theirs"]] == ["JK 4H"]
    assert told["revision"] == seen + 1
    # Also where the second phone has seen the first one's hand, and sends its own all the same.
    again = ben.record(game, "hand_scored", round=1, player="Cy", cards="JK 4D")
    assert again.json()["theirs"] == told["theirs"]
    settled = ben.record(game, "hand_corrected", of=told["theirs"][0]["number"], cards="JK 4D")
    assert settled.status_code == 201
    assert ana.board(game)["rounds"][0]["cells"]["Cy"]["cards"] == "JK 4D"


def test_hands_of_others_do_not_stand_in_the_way(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game)
    seen = ana.board(game)["revision"]
    ana.hand(game, 1, "Ana", "", seen=seen)
    ben.hand(game, 1, "Ben", "9C", seen=seen)
    late = ben.record(game, "undo", seen=seen)
    assert "moved on" in detail(late, 409)
    assert len(late.json()["theirs"]) == 2


def test_a_correction_of_what_changed_meanwhile_is_asked_about(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game)
    number = ana.hand(game, 1, "Cy", "9C")["number"]
    seen = ana.board(game)["revision"]
    ana.record(game, "hand_corrected", of=number, cards="9C 9D")
    answer = ben.record(game, "hand_corrected", seen=seen, of=number, cards="9H")
    assert answer.json()["theirs"][0]["event"]["cards"] == "9C 9D"


def test_phones_that_record_at_once_lose_nothing(ana: Any, phone: Any) -> None:
    players = ("Ana", "Ben", "Cy", "Dan", "Eve")
    game = ana.start(players=players)
    phones = [ana, *(phone(name=f"{name}'s phone") for name in players[1:])]
    code = invite(ana, game)["code"]
    for each in phones[1:]:
        each.http.post("/api/join", json={"code": code})
    seen = ana.board(game)["revision"]

    def record(place: int) -> list[int]:
        sent = {"seen": seen, "round": 1, "player": players[place], "cards": "9C", "key": f"capture-{place}"}
        return [phones[place].record(game, "hand_scored", **sent).status_code for _ in range(3)]

    with ThreadPoolExecutor(len(players)) as pool:
        assert list(pool.map(record, range(5))) == [[201] * 3] * 5
    board = ana.board(game)
    assert board["revision"] == seen + 5
    assert board["totals"] == dict.fromkeys(players, 10)


def test_of_phones_that_record_one_hand_at_once_one_is_taken(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game)
    seen = ana.board(game)["revision"]
    cards = {id(ana): "9C", id(ben): "9D"}

    def record(each: Any) -> int:
        answer = each.record(game, "hand_scored", seen=seen, round=1, player="Cy", cards=cards[id(each)])
        return int(answer.status_code)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(record, (ana, ben))) == [201, 409]
    assert ana.board(game)["revision"] == seen + 1


# What is asked, what is warned of -------------------------------------------------------------------------------


def test_a_round_is_not_closed_before_what_is_odd_was_asked(ana: Any) -> None:
    game = ana.start()
    missing = ana.record(game, "round_started", round=2)
    assert "Ana, Ben, Cy" in detail(missing, 409)
    assert missing.json()["type"] == "urn:meldsight:question"
    for player in ("Ana", "Ben", "Cy"):
        ana.hand(game, 1, player, "9C" if player == "Ana" else "5D")
    nobody = ana.record(game, "round_started", round=2)
    assert "Nobody went out in round 1" in detail(nobody, 409)
    cells = ana.board(game)["rounds"][0]["cells"]
    for player in ("Ana", "Ben"):
        ana.record(game, "hand_corrected", of=cells[player]["event"], cards="")
    two = ana.record(game, "round_started", round=2, key="round-2-key")
    assert "Ana and Ben both went out" in detail(two, 409)
    assert ana.board(game)["round"]["question"] == two.json()["detail"]
    assert ana.record(game, "round_started", round=2, key="round-2-key", query="?confirmed=true").status_code == 201


def test_a_hand_size_that_cannot_be_is_warned_of(ana: Any) -> None:
    game = ana.start()
    taken = ana.hand(game, 1, "Ben", "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC")
    assert taken["warnings"] == [
        "Ben cannot have 13 cards in round 1: 1 to 11 are possible, or 14 or 17 without the contract "
        "(a call changes that by one)."
    ]
    assert ana.board(game)["rounds"][0]["cells"]["Ben"]["warnings"] == taken["warnings"]


def test_a_photo_of_a_hand_is_read_as_what_the_rest_of_the_round_leaves(url: str, hand: Any, scanner_of: Any) -> None:
    scanner = scanner_of(hand.scene)
    app = create_app(Settings(database_url=url), scanner)
    ana = Phone(app)
    game = ana.start()
    ana.hand(game, 1, "Ben", "8C 8C 9D")
    ana.hand(game, 1, "Ana", "KS")
    melds = {"melds": ["3C 3D 3S"]}
    assert ana.http.put(f"/api/games/{game}/rounds/1/melds/Cy", json=melds).status_code == 204
    for query in ("&player=Ana", "&player=Ana&round=2", ""):
        assert ana.http.post(f"/api/scan?game={game}{query}", content=hand.picture).status_code == 200
    app.state.database.close()
    told = [Counter(limits.elsewhere) for _, limits in scanner.seen]
    # Her own hand may be what is read anew; of a photo that is nobody's, as of the whole table, nothing is known.
    assert told == [Counter(parse_cards("8C 8C 9D 3C 3D 3S")), Counter(), Counter()]


def test_cards_on_the_table_count_against_the_packs(ana: Any) -> None:
    game = ana.start()
    path = f"/api/games/{game}/rounds/1/melds/Cy"
    assert ana.http.put(path, json={"melds": ["8C 8C 8D", "KC KD KS"]}).status_code == 204
    board = ana.board(game)
    assert board["round"]["states"]["Cy"] == "down"
    assert board["round"]["melds"] == {"Cy": ["8C 8C 8D", "KC KD KS"]}
    taken = ana.hand(game, 1, "Ben", "8C")
    assert "3 × 8♣" in taken["warnings"][0]
    asked = {"cards": ["8C"], "game": game, "round": 1, "player": "Ana"}
    assert len(ana.http.post("/api/score", json=asked).json()["warnings"]) == 1
    assert ana.http.put(path, json={"melds": []}).status_code == 204
    assert ana.board(game)["round"]["melds"] == {}
    assert "plays no round 2" in detail(ana.http.put(path.replace("/1/", "/2/"), json={"melds": []}), 422)


def test_three_equal_cards_of_two_packs_are_refused(ana: Any) -> None:
    game = ana.start()
    answer = ana.record(game, "hand_scored", round=1, player="Ben", cards="8C 8C 8C")
    assert "3 × 8♣ cannot be" in detail(answer, 422)
    assert "'9X' is not a card" in detail(ana.record(game, "hand_scored", round=1, player="Ben", cards="9X"), 422)
    assert ana.board(game)["revision"] == 3


# Checks, rules, exports -----------------------------------------------------------------------------------------


def test_melds_are_judged_by_the_games_round(ana: Any) -> None:
    game = ana.start()
    legal = ana.http.post("/api/check", json={"game": game, "melds": ["8C 8D JK", "KC KD KS"]}).json()
    assert legal["legal"], legal["text"]
    assert legal["groups"][0]["name"] == "set of 8, joker = 8"
    assert legal["groups"][0]["jokers"] == [{"card": "JK", "value": "8"}]
    bad = ana.http.post("/api/check", json={"game": game, "round": 2, "melds": ["8C 8D 9D", "5H 6H 8H 9H"]}).json()
    assert not bad["legal"]
    assert {fault["code"] for fault in bad["faults"]} >= {"mixed_ranks", "gap"}
    assert all(fault["source"] for fault in bad["faults"])
    assert bad["groups"][1]["reading"] is None
    assert bad["groups"][1]["faults"][0]["code"] == "gap"


def test_melds_are_judged_without_a_game(ana: Any) -> None:
    asked = {"rules": "shanghai", "round": 2, "cards": "5S 8D 6S 8C 7S 8H 8S 9S"}
    assert ana.http.post("/api/check", json=asked).json()["legal"]
    table = {"rules": "manipulation", "melds": ["8C 8D 8H", "KC KD QS"]}
    found = ana.http.post("/api/check", json=table).json()
    assert not found["legal"]
    assert found["contract"] is None
    assert [group["reading"] is None for group in found["groups"]] == [False, True]
    for body, words in (
        ({"rules": "shanghai", "round": 9, "melds": ["8C 8D 8H"]}, "no round 9"),
        ({"rules": "shanghai", "round": 1}, "Send melds"),
        ({"rules": "shanghai", "round": 1, "melds": ["8X"]}, "not a card"),
        ({"rules": "shanghai", "melds": ["8C " * 121]}, "120 cards"),
    ):
        assert words in detail(ana.http.post("/api/check", json=body), 422)


def test_every_rule_system_has_its_page_and_its_sheet(ana: Any) -> None:
    systems = ana.get("/api/rules").json()
    assert systems[0]["name"] == "shanghai"
    assert systems[0]["default"]
    for system in systems:
        page = ana.get(f"/api/rules/{system['name']}").json()
        assert len(page["rounds"]) == system["rounds"]
        assert all(option["kind"] in ("switch", "choice", "number", "text") for option in page["options"])
        assert all(option["source"] for option in page["options"] if option["key"] != "name")
        sheet = ana.get(f"/api/rules/{system['name']}/sheet?players=Ana,<b>Ben</b>")
        assert "&lt;b&gt;Ben" in sheet.text
        assert "<script" not in sheet.text
        assert "style-src 'sha256-" in sheet.headers["content-security-policy"]
    assert "no rules named" in detail(ana.get("/api/rules/bridge"), 404)


def test_exports_say_what_the_board_says(ana: Any) -> None:
    game = ana.start(players=("Ana", "=1+1", "Cy"))
    ana.hand(game, 1, "Ana", "9C")
    ana.hand(game, 1, "=1+1", "")
    csv = ana.get(f"/api/games/{game}/export.csv")
    assert csv.headers["content-disposition"].startswith("attachment")
    assert csv.text.splitlines()[1:] == ["1,Ana,10,0,10,10,9C,9♣ 10 = 10", "1,'=1+1,0,0,0,0,,went out"]
    exported = ana.get(f"/api/games/{game}/export.json").json()
    assert [entry["event"]["kind"] for entry in exported["entries"]] == [
        "game_started",
        "dealer_set",
        "round_started",
        "hand_scored",
        "hand_scored",
    ]
    page = ana.get(f"/api/games/{game}/print")
    assert "9♣ 10 = 10" in page.text


# Who may do what ------------------------------------------------------------------------------------------------


def test_a_code_and_a_link_let_others_in(ana: Any, phone: Any) -> None:
    game = ana.start()
    invited = invite(ana, game)
    assert len(invited["code"]) == 6
    assert invited["qr"].startswith("<svg")
    typed = phone()
    assert typed.http.post("/api/join", json={"code": f" {invited['code'].lower()} "}).json()["game"] == game
    secret = invited["link"].partition("#table=")[2]
    scanned = phone(table=secret, name="Cy's phone")
    assert scanned.joined.json()["game"] == game
    members = ana.get(f"/api/games/{game}/members").json()
    assert [member["role"] for member in members] == ["host", "player", "player"]
    assert [member["me"] for member in members] == [True, False, False]
    newer = invite(ana, game)
    assert "not valid" in detail(phone().http.post("/api/join", json={"code": invited["code"]}), 403)
    assert "not valid" in detail(phone().http.post("/api/join", json={"table": secret}), 403)
    assert phone().http.post("/api/join", json={"code": newer["code"]}).json()["game"] == game


def typed(app: Any, code: str, address: str) -> int:
    """The answer to a code that is typed at an address."""
    http = TestClient(app, "http://127.0.0.1:8000", client=(address, 1), raise_server_exceptions=False)
    answer = http.post("/api/join", json={"code": code})
    if answer.status_code == 429:
        assert answer.headers["retry-after"] == "60"
    return int(answer.status_code)


def test_codes_end_after_too_many_wrong_tries_at_whichever_service(app: Any, url: str, ana: Any) -> None:
    services = [app, create_app(Settings(database_url=url), NoScanner())]
    game = ana.start()
    code = invite(ana, game)["code"]
    answers = [typed(services[number % 2], "AAAAAA", "10.0.0.1") for number in range(6)]
    assert answers == [403] * 5 + [429]
    assert typed(services[1], code, "10.0.0.1") == 429, "the right one is not looked at either"
    assert typed(services[1], code, "10.0.0.2") == 200, "who has guessed nothing is not kept out"
    for other in range(15):
        assert typed(services[other % 2], "AAAAAA", f"10.0.1.{other}") == 403
    assert typed(services[0], code, "10.0.0.3") == 403
    # The next code is a new one, and counts from nothing.
    code = invite(ana, game)["code"]
    assert typed(services[1], "AAAAAA", "10.0.0.4") == 403
    assert typed(services[0], code, "10.0.0.5") == 200
    services[1].state.database.close()


def test_of_codes_sent_at_once_each_is_counted(app: Any, url: str) -> None:
    services = [app, create_app(Settings(database_url=url), NoScanner())]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: typed(services[number % 2], "AAAAAA", "10.0.0.1"), range(16)))
    assert Counter(answers) == {403: 5, 429: 11}
    services[1].state.database.close()


def test_wrong_codes_are_forgotten_with_their_addresses(app: Any, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [typed(app, "AAAAAA", "10.0.0.1") for _ in range(6)][-1] == 429
    with app.state.database.writing() as connection:
        connection.execute(GUESSES.update().values(at=ago(61)))
    assert typed(app, "AAAAAA", "10.0.0.1") == 403
    monkeypatch.setattr(guesses, "MINUTES", 0)
    again = create_app(Settings(database_url=url), NoScanner())
    with again.state.database.reading() as connection:
        assert connection.execute(sa.select(GUESSES)).all() == []
    again.state.database.close()


def test_an_expired_code_lets_nobody_in(ana: Any, phone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from api import invitations

    monkeypatch.setattr(invitations, "MINUTES", -1)
    invited = invite(ana, ana.start())
    assert "not valid" in detail(phone().http.post("/api/join", json={"code": invited["code"]}), 403)
    assert phone(table=invited["link"].partition("#table=")[2]).joined.json()["game"]


def test_viewers_look_and_players_record(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game, "viewer")
    assert ben.board(game)["role"] == "viewer"
    assert "Viewers look on" in detail(ben.record(game, "hand_scored", round=1, player="Ben", cards="9C"), 403)
    device = ben.get("/api/me").json()["device"]
    path = f"/api/games/{game}/members/{device}"
    assert ana.http.patch(path, json={"role": "player"}).json()["role"] == "player"
    number = ben.hand(game, 1, "Ben", "9C")["number"]
    for event in (
        {"kind": "settings_changed", "options": {"joker_points": 25}},
        {"kind": "player_joined", "player": "Dan"},
        {"kind": "player_left", "player": "Cy"},
        {"kind": "dealer_set", "player": "Cy"},
    ):
        assert "host" in detail(ben.record(game, **event), 403)
    for player in ("Ana", "Cy"):
        ben.hand(game, 1, player, "" if player == "Ana" else "9D")
    ben.next_round(game, 2)
    for event in (
        {"kind": "hand_corrected", "of": number, "cards": "9D"},
        {"kind": "hand_moved", "of": number, "player": "Cy"},
        {"kind": "voided", "of": number},
    ):
        assert "Rounds before" in detail(ben.record(game, **event), 403)
    assert ana.record(game, "hand_corrected", of=number, cards="9D").status_code == 201
    changed = ana.record(game, "settings_changed", options={"joker_points": 25}).json()
    assert "host" in detail(ben.record(game, "voided", of=changed["number"]), 403)


def test_a_removed_device_is_outside(ana: Any, ben: Any) -> None:
    game = ana.start()
    seat(ana, ben, game)
    mine = ana.get("/api/me").json()["device"]
    device = ben.get("/api/me").json()["device"]
    assert "host" in detail(ben.http.delete(f"/api/games/{game}/members/{mine}"), 403)
    assert ana.http.delete(f"/api/games/{game}/members/{device}").status_code == 204
    assert "no such game" in detail(ben.get(f"/api/games/{game}"), 404)
    assert "needs a host" in detail(ana.http.delete(f"/api/games/{game}/members/{mine}"), 409)
    assert "needs a host" in detail(ana.http.patch(f"/api/games/{game}/members/{mine}", json={"role": "viewer"}), 409)


def test_a_device_can_end_its_token(ana: Any) -> None:
    token = ana.http.cookies["meldsight"]
    assert ana.http.patch("/api/me", json={"name": "Kitchen"}).json()["name"] == "Kitchen"
    assert ana.http.delete("/api/me").status_code == 204
    ana.http.cookies.set("meldsight", token)
    assert "not joined" in detail(ana.get("/api/me"), 401)


def test_the_page_itself_lets_this_computer_in(app: Any) -> None:
    from fastapi.testclient import TestClient

    http = TestClient(app, "http://127.0.0.1:8000")
    assert http.get("/api/games").status_code == 401
    http.get("/")
    assert http.get("/api/games").json() == []
    cookie = http.cookies["meldsight"]
    http.get("/")
    assert http.cookies["meldsight"] == cookie
