"""The gateway as an application: every route, the limits of a request, and what an error looks like."""

from litestar import Litestar
from litestar.exceptions import HTTPException

from services.gateway.answers import on_error
from services.gateway.command_routes import Desk, command_routes
from services.gateway.incoming import BODY_BYTES_MAX
from services.gateway.openapi import description_routes
from services.gateway.operations import Operations, operation_routes
from services.gateway.page_routes import Pages, page_routes
from services.gateway.view_routes import Reading, view_routes


def application(desk: Desk, reading: Reading, pages: Pages, operations: Operations) -> Litestar:
    """Return the application made of its parts."""
    return Litestar(
        route_handlers=[
            *command_routes(desk),
            *view_routes(reading),
            *page_routes(pages),
            *operation_routes(operations),
            *description_routes(),
        ],
        exception_handlers={Exception: on_error, HTTPException: on_error},
        request_max_body_size=BODY_BYTES_MAX,
        openapi_config=None,  # ours is written beside the routes, see `services.gateway.openapi`
        logging_config=None,
    )
