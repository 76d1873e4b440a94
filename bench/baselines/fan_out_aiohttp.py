"""One call to each device of a list with aiohttp, so many at once: with a login first (cold), then again (warm).

Reads {"devices": [{"port", "username", "password"}], "atOnce", "path"} from standard input, prints the milliseconds.
"""

import asyncio
import json
import sys
import time

import aiohttp


async def main() -> None:
    plan = json.load(sys.stdin)
    tokens = {}
    slots = asyncio.Semaphore(plan["atOnce"])
    connector = aiohttp.TCPConnector(ssl=False, limit=0, keepalive_timeout=60)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def call(device) -> None:
            base = f"https://127.0.0.1:{device['port']}"
            async with slots:
                if device["port"] not in tokens:
                    login = {"data": {"username": device["username"], "password": device["password"]}}
                    async with session.post(f"{base}/api/login", json=login, raise_for_status=True) as answer:
                        tokens[device["port"]] = (await answer.json())["data"]["token"]
                headers = {"authorization": f"Bearer {tokens[device['port']]}"}
                async with session.get(base + plan["path"], headers=headers, raise_for_status=True) as answer:
                    await answer.read()

        times = {}
        for name in ("coldMs", "warmMs"):
            started = time.perf_counter()
            await asyncio.gather(*(call(device) for device in plan["devices"]))
            times[name] = (time.perf_counter() - started) * 1000
        print(json.dumps(times))


asyncio.run(main())
