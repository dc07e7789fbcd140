"""What a command would do, in a sentence for whoever is about to give it. English; the facts say it for programs."""

from collections.abc import Sequence

from events.facts import AnyFact, CutoffMoved, ResultCorrected, RoundEnded


def in_words(facts: Sequence[AnyFact], published_rounds: int) -> str:
    """Return the effect of `facts` that is not plain from the command itself; empty when there is none.

    `published_rounds` is how many rounds are public before them.
    """
    sentences = [_of(fact, published_rounds) for fact in facts]
    return " ".join(sentence for sentence in sentences if sentence)


def _of(fact: AnyFact, published_rounds: int) -> str:
    match fact:
        case ResultCorrected():
            return _of_correction(fact, published_rounds)
        case CutoffMoved():
            return f"The pairing of round {fact.round} is not public yet and is made anew."
        case RoundEnded():
            return f"Round {fact.round} ends with it."
        case _:
            return ""


def _of_correction(fact: ResultCorrected, published_rounds: int) -> str:
    paired, ranked = fact.effect.pairing_from, fact.effect.standings_from
    if ranked is None:
        return "Goes into the rating report alone; pairings and standings keep the wrong result."
    parts = [f"the standings count it from round {ranked}"]
    parts.append(f"pairings from round {paired}" if paired is not None else "no pairing is left to change")
    sentence = f"{parts[0][0].upper()}{parts[0][1:]}, {parts[1]}"
    if published_rounds > fact.round:
        sentence += f"; the published pairing of round {published_rounds} stands"
    return sentence + "."
