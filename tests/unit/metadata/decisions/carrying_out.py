"""Carrying out a plan on an image without a store, for tests of decisions."""

from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import Change, ChangeBatch, Put, StoreEntry, check_transaction
from chronik.model.ids import Revision


def carried_out(image: Image, plan: Plan[object] | Refusal, transactions: int | None = None) -> Image:
    """Replay a plan, or its first transactions, as the store would; every key counts as created anew."""
    assert isinstance(plan, Plan), plan
    for transaction in plan.transactions[:transactions]:
        check_transaction(transaction.compares, transaction.writes)
        revision = Revision(image.revision + 1)
        changes = [
            Change(
                write.key, StoreEntry(write.key, write.value, revision, revision) if isinstance(write, Put) else None
            )
            for write in transaction.writes
        ]
        image = image.replay(ChangeBatch(revision, tuple(changes)))
    return image
