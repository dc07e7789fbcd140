"""Commitments to personal records."""

from events.persons import PersonRecord, commitment


def test_the_salt_keeps_the_commitment_from_being_guessed() -> None:
    one = PersonRecord(name="Kowalski, Jan", salt="00" * 32)
    other = PersonRecord(name="Kowalski, Jan", salt="01" * 32)

    assert commitment(one) != commitment(other)


def test_the_commitment_is_fixed_for_ever() -> None:
    record = PersonRecord(name="Žižka, Ján", salt="00" * 32, birth_date="1990-05-01")

    assert commitment(record) == "56692710ebcea244f99057e3666f32a9b28615fb5317df267de0ec2626dba0ee"
