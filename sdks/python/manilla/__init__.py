"""The client of Manilla: collect naira and stablecoins, pay out to banks and wallets.

from manilla import Manilla

manilla = Manilla(os.environ["MANILLA_KEY"], base_url="https://pay.example.com")
account = manilla.virtual_accounts.create(merchant_reference="order-1001", amount=500_000)
"""

from __future__ import annotations

__version__ = "0.1.0"

# Loaded when first used, so that `import manilla` costs next to nothing.
_modules = {
    "AnswerFacts": "_core",
    "AsyncManilla": "_async_client",
    "AsyncPages": "_pages",
    "AuthenticationError": "_errors",
    "ConnectionError": "_errors",
    "Detail": "_errors",
    "InsufficientBalanceError": "_errors",
    "Manilla": "_client",
    "ManillaError": "_errors",
    "Model": "_json",
    "NotFoundError": "_errors",
    "Page": "_pages",
    "Pages": "_pages",
    "RateLimitError": "_errors",
    "UNSET": "_json",
    "ValidationError": "_errors",
    "WebhookError": "_errors",
    "verify_webhook": "_webhooks",
}
__all__ = list(_modules)

# Type checkers treat this name as true; importing `typing` for it would take longer than the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._async_client import AsyncManilla as AsyncManilla
    from ._client import Manilla as Manilla
    from ._core import AnswerFacts as AnswerFacts
    from ._errors import AuthenticationError as AuthenticationError
    from ._errors import ConnectionError as ConnectionError
    from ._errors import Detail as Detail
    from ._errors import InsufficientBalanceError as InsufficientBalanceError
    from ._errors import ManillaError as ManillaError
    from ._errors import NotFoundError as NotFoundError
    from ._errors import RateLimitError as RateLimitError
    from ._errors import ValidationError as ValidationError
    from ._errors import WebhookError as WebhookError
    from ._json import UNSET as UNSET
    from ._json import Model as Model
    from ._pages import AsyncPages as AsyncPages
    from ._pages import Page as Page
    from ._pages import Pages as Pages
    from ._webhooks import verify_webhook as verify_webhook
else:

    def __getattr__(name: str) -> object:
        if name not in _modules:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{_modules[name]}", __name__), name)
        globals()[name] = value
        return value
