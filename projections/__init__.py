"""Read models: pure folds of a log that can be thrown away and rebuilt, and all that the public is ever told.

What is shown is made from what is public at that moment (`projections.embargo`), so seals, cutoffs and closed
windows leave no trace in it before the next pairing; the view "seal" alone shows more. Players stand everywhere by
their ids; names are in no view, so that erasing a person changes none. No version of the log and no head shows.
"""

from projections.all_views import AnyView, views
from projections.known import Known, project
from projections.public_messages import PublicMessage, Told
from projections.telling import messages

__all__ = ["AnyView", "Known", "PublicMessage", "Told", "messages", "project", "views"]
