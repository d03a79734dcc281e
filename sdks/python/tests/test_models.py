from __future__ import annotations

import copy
import json
import pickle
import unittest
from typing import Any, Dict

from manilla import UNSET, Model, NotFoundError
from manilla._json import to_camel, to_input, to_json, to_snake
from manilla.events import Event, VirtualAccountPaidEvent, to_event
from manilla.models import Disbursement, FeeReport, Settings, WebhookEndpointWithSecret


def transfer(**more: Any) -> Disbursement:
    json: Dict[str, Any] = {
        "reference": "bt_1",
        "amount": 9_007_199_254_740_993,
        "accountNumber": "0123456789",
        "narration": None,
        "metadata": {"orderId": 7, "some_key": {"innerKey": 1}},
        "createdBy": {"kind": "key", "id": "key_1", "name": "Server", "newField": 1},
    }
    return Disbursement({**json, **more})


class Reading(unittest.TestCase):
    def test_fields_have_the_names_of_python(self) -> None:
        self.assertEqual(transfer().account_number, "0123456789")
        self.assertEqual(transfer().amount, 9_007_199_254_740_993)

    def test_inner_objects_are_models(self) -> None:
        author = transfer().created_by
        assert author is not None
        self.assertEqual((type(author).__name__, author.name), ("Author", "Server"))

    def test_lists_have_models(self) -> None:
        report = FeeReport({"buckets": [{"kinds": {"bank_transfer": {"kept": 2}}}]})
        self.assertEqual(report.buckets[0].kinds.bank_transfer.kept, 2)

    def test_names_that_are_not_in_camel_case_stay(self) -> None:
        settings = Settings({"lowBalance": {"NGN": 5, "USDC": None}})
        self.assertEqual(settings.low_balance.NGN, 5)
        self.assertIsNone(settings.low_balance.USDC)

    def test_keywords_of_python_get_an_underscore(self) -> None:
        self.assertEqual(transfer(**{"from": "sub_1"}).from_, "sub_1")

    def test_null_and_left_out_are_none(self) -> None:
        self.assertIsNone(transfer().narration)
        self.assertIsNone(transfer().purpose)
        self.assertIn("narration", transfer().to_dict())
        self.assertNotIn("purpose", transfer().to_dict())

    def test_unknown_fields_and_values_are_kept(self) -> None:
        given: Any = transfer(status="EXPLODED", someDay={"innerField": 1})
        self.assertEqual(given.status, "EXPLODED")
        self.assertEqual(given.some_day, {"innerField": 1})
        self.assertEqual(given.created_by.new_field, 1)

    def test_a_field_that_is_nowhere_is_an_attribute_error(self) -> None:
        given: Any = transfer()
        with self.assertRaisesRegex(AttributeError, "Disbursement has no field 'acount'"):
            given.acount  # noqa: B018

    def test_the_objects_of_the_merchant_are_untouched(self) -> None:
        self.assertEqual(transfer().metadata, {"orderId": 7, "some_key": {"innerKey": 1}})

    def test_to_dict_is_what_the_service_sent(self) -> None:
        given = transfer(someDay=[1, {"a": None}])
        again = json.loads(json.dumps(given.to_dict()))
        self.assertEqual(Disbursement(again), given)
        given.to_dict()["metadata"]["orderId"] = 8
        self.assertEqual(given.metadata["orderId"], 7)

    def test_an_inner_object_of_another_kind_stays_as_it_is(self) -> None:
        self.assertEqual(transfer(createdBy="the cron job").created_by, "the cron job")


class Objects(unittest.TestCase):
    def test_an_answer_is_read_only(self) -> None:
        with self.assertRaisesRegex(AttributeError, "read only"):
            transfer().amount = 1

    def test_equal_answers_are_equal(self) -> None:
        self.assertEqual(transfer(), transfer())
        self.assertNotEqual(transfer(), transfer(reference="bt_2"))
        self.assertNotEqual(transfer(), transfer().to_dict())

    def test_copies_and_pickles_are_equal(self) -> None:
        given = transfer()
        self.assertIsNotNone(given.created_by)
        for other in (copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
            self.assertEqual(other, given)
            self.assertEqual(other.created_by, given.created_by)

    def test_printing_shows_fields_but_no_secret(self) -> None:
        self.assertIn("account_number='0123456789'", repr(transfer()))
        self.assertIn("created_by=Author(kind='key'", repr(transfer()))
        endpoint = WebhookEndpointWithSecret({"id": "we_1", "secret": "whsec_abc"})
        self.assertEqual(repr(endpoint), "WebhookEndpointWithSecret(id='we_1', secret='[secret]')")
        self.assertEqual(endpoint.secret, "whsec_abc")

    def test_dir_has_the_fields_that_came(self) -> None:
        self.assertIn("account_number", dir(transfer()))
        self.assertIn("some_day", dir(transfer(someDay=1)))

    def test_errors_can_be_pickled(self) -> None:
        error = NotFoundError("No.", code="not_found", status=404, request_id="req_1")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), vars(again)), (NotFoundError, vars(error)))
        self.assertEqual(str(again), "No. (not_found, request req_1)")


class Sending(unittest.TestCase):
    def test_names_become_those_of_the_api(self) -> None:
        given = {"lines": [{"unit_amount": 5, "from_": "a"}], "fund_from": {"max_amount": 1}}
        self.assertEqual(
            to_json("body", given),
            {"lines": [{"unitAmount": 5, "from": "a"}], "fundFrom": {"maxAmount": 1}},
        )

    def test_metadata_is_untouched(self) -> None:
        metadata = {"order_id": 1, "share": 0.5, "nested": {"some_key": None}}
        self.assertEqual(to_input({"metadata": metadata}), {"metadata": metadata})
        self.assertEqual(to_json("items", [{"metadata": metadata}]), [{"metadata": metadata}])

    def test_none_is_left_out_unless_null_means_something(self) -> None:
        values = {"email": None, "phone": None, "name": UNSET, "label": UNSET}
        self.assertEqual(to_input(values, ("email", "label")), {"email": None})

    def test_an_answer_can_be_sent(self) -> None:
        self.assertEqual(to_json("x", {"made_by": Model({"a": 1})}), {"madeBy": {"a": 1}})

    def test_other_sequences_are_lists(self) -> None:
        self.assertEqual(to_json("x", (1, "a")), [1, "a"])
        self.assertEqual(to_json("x", (n for n in (1, 2))), [1, 2])

    def test_money_is_never_a_float(self) -> None:
        from datetime import datetime, timezone
        from decimal import Decimal

        with self.assertRaisesRegex(TypeError, r"amount is of type float.*kobo as int"):
            to_input({"amount": 5000.0})
        # Whether a Decimal means naira or kobo cannot be known.
        with self.assertRaisesRegex(TypeError, r"items\[0\].amount is of type Decimal"):
            to_input({"items": [{"amount": Decimal("5.5")}]})
        with self.assertRaisesRegex(TypeError, r"expiresAt is of type datetime.*isoformat"):
            to_input({"expiresAt": datetime.now(timezone.utc)})

    def test_names_survive_both_ways(self) -> None:
        for name in ("accountNumber", "from", "feeVat", "USDC", "bankTransfer", "usesMax", "to"):
            self.assertEqual(to_camel(to_snake(name)), name)


class Events(unittest.TestCase):
    def test_the_type_decides_the_class(self) -> None:
        event = to_event({"type": "virtual_account.paid", "data": {"accountNumber": "1"}})
        self.assertIsInstance(event, VirtualAccountPaidEvent)
        if event.type == "virtual_account.paid":
            self.assertEqual(event.data.account_number, "1")

    def test_an_unknown_type_is_an_event_all_the_same(self) -> None:
        json = {"id": "evt_1", "type": "moon.landed", "data": {"someField": {"a": 1}}}
        event: Any = to_event(json)
        self.assertIs(type(event), Event)
        self.assertEqual((event.type, event.data.some_field), ("moon.landed", {"a": 1}))
        self.assertEqual(event.to_dict(), json)
