"""Routes for paired devices: what a phone does to be paired, and what the computer does with devices."""

from typing import Any

from litestar import Request, get, post
from litestar.params import FromPath, JSONBody
from litestar.response import Response

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.edge.cookies import cookie
from chorus.show.server.edge.edge import is_encrypted


@post("/api/pair", status_code=200)
async def pair(server: Context, data: JSONBody[wire.PairingClaim]) -> wire.PairingClaimed:
    """Claims the QR code for the device that sends this; it then waits for a person. Works once."""
    return await server.readers.in_thread(lambda: server.devices.claim(data))


@post("/api/pair/finish", status_code=200, opt={"answer": wire.PairingFinished})
async def finish(
    server: Context, request: Request[Any, Any, Any], data: JSONBody[wire.PairingFinish]
) -> Response[wire.PairingFinished]:
    """Logs the device in if a person confirmed it."""
    secret = await server.readers.in_thread(lambda: server.devices.finish(data.claim))
    answer = wire.PairingFinished(is_paired=secret is not None)
    own = {} if secret is None else {"set-cookie": cookie(server.port, secret, is_tls=is_encrypted(request.scope))}
    return Response(answer, headers=own)


@get("/api/devices")
async def devices(server: Context) -> wire.PairedDevicesShown:
    """Returns the paired devices, and the pairing that is under way."""
    return await server.readers.in_thread(server.devices.shown)


@post("/api/devices/pairing", status_code=200)
async def offer(server: Context, data: JSONBody[wire.PairingAsked]) -> wire.PairingOffer:
    """Returns a new QR code, which replaces one that is shown elsewhere."""
    return await server.readers.in_thread(lambda: server.devices.offer(data.scope))


@post("/api/devices/pairing/answer", status_code=200)
async def answer_pairing(server: Context, data: JSONBody[wire.PairingAnswer]) -> wire.PairedDevicesShown:
    """Admits or refuses the device that shows this code."""
    await server.readers.in_thread(lambda: server.devices.answer(data.code, is_confirmed=data.is_confirmed))
    return await server.readers.in_thread(server.devices.shown)


@post("/api/devices/{device_id:str}/rename", status_code=200)
async def rename(server: Context, device_id: FromPath[str], data: JSONBody[wire.DeviceName]) -> wire.PairedDevicesShown:
    """Gives a device another name."""
    await server.readers.in_thread(lambda: server.devices.rename(device_id, data.name))
    return await server.readers.in_thread(server.devices.shown)


@post("/api/devices/{device_id:str}/revoke", status_code=200)
async def revoke(server: Context, device_id: FromPath[str]) -> wire.PairedDevicesShown:
    """Revokes a device permanently, and closes its sockets."""
    await server.readers.in_thread(lambda: server.devices.revoke(device_id))
    await server.devices.end_revoked()
    return await server.readers.in_thread(server.devices.shown)
