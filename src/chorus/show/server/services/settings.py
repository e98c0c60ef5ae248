"""What the settings page shows about the server and this machine; read again for each request."""

from datetime import UTC, datetime
from pathlib import Path

from chorus.base import config
from chorus.base.prices import PRICES_FILE, load_prices
from chorus.core.records.times import wire_time
from chorus.core.spending.price_table import read_table
from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder
from chorus.show import wire
from chorus.show.server.edge.logins import BrowserLogin, Logins
from chorus.show.server.services.devices import DeviceService
from chorus.steer.approvals.devices.signed_devices import PairedDevice
from chorus.steer.hooks.home import Home
from chorus.steer.hooks.install import read_note
from chorus.steer.hooks.status import settings_status
from chorus.steer.runs import starting


def shown(vault: Path, logins: Logins, devices: DeviceService, who: str) -> wire.SettingsShown:
    """Returns the state of hooks, logins, prices and the client. Never raises; the result says what cannot be read."""
    home = config.home_of(vault)
    hooks = Home(home.absolute())
    places = {config_folder() / "settings.json", *map(Path, read_note(hooks).places)}
    found = [settings_status(hooks, path) for path in sorted(places)]
    client, trouble = _client(home)
    return wire.SettingsShown(
        hooks=tuple(
            wire.HookPlace(path=each.path, is_installed=each.installed, trouble=each.trouble) for each in found
        ),
        devices=tuple(_login(each, devices.named(each.device), who) for each in logins.sessions()),
        prices=_prices(home / PRICES_FILE),
        home=str(home),
        client=client,
        client_trouble=trouble,
    )


def _login(session: BrowserLogin, device: PairedDevice | None, who: str) -> wire.Device:
    return wire.Device(
        is_this=session.digest == who,
        began_at=_time(session.began_at),
        seen_at=_time(session.seen_at),
        name=device.name if device else None,
        scope=device.scope if device else None,
    )


def _client(home: Path) -> tuple[str, str]:
    try:
        return str(starting.find_client(config.load(home).client or None)), ""
    except ChorusError as error:
        return "", str(error)


def _prices(path: Path) -> wire.OwnPrices:
    try:
        prices = load_prices(path, may_be_missing=True)
        own = read_table(path.read_bytes(), str(path)).models if path.is_file() else []
    except (ChorusError, OSError) as error:
        return wire.OwnPrices(file=str(path), models=(), dated=None, trouble=str(error))
    names = tuple(dict.fromkeys(name for model in own for name in model.names))
    return wire.OwnPrices(file=str(path), models=names, dated=prices.dated, trouble=None)


def _time(seconds: float) -> str:
    return wire_time(datetime.fromtimestamp(seconds, UTC))
