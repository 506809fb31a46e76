#!/usr/bin/env python3
"""Signs in, creates a token, prints the stream's address and signs out. Needs Python 3 and no package.

    AUDIO_USERNAME=… AUDIO_PASSWORD=… docs/examples/token.py

Ends with 75 when the same may work later, with 1 when it will not.
"""

import json
import os
import sys
import urllib.error
import urllib.request

API = os.environ.get("AUDIO_API", "http://127.0.0.1:4000/graphql")
MAY_WORK_LATER = {
    "RATE_LIMITED",
    "PROVIDER_UNAVAILABLE",
    "PROVIDER_BAD_ANSWER",
    "DATABASE_UNAVAILABLE",
    "NO_ANSWER",
}

SIGN_IN = """mutation SignIn($username: String!, $password: String!) {
  login(username: $username, password: $password) { jwt }
}"""
CREATE_TOKEN = "mutation CreateToken { createToken { streamUrl expiry } }"
SIGN_OUT = "mutation SignOut { logout }"


class Refused(Exception):
    def __init__(self, code, retry_after_seconds=None):
        again = "" if retry_after_seconds is None else f", again in {retry_after_seconds} s"
        super().__init__(code + again)
        self.code = code


def ask(query, variables=None, jwt=None):
    """The data of an operation; raises Refused with the code of its failure, NO_ANSWER when there was none to read."""
    headers = {"content-type": "application/json"}
    if jwt is not None:
        headers["authorization"] = f"Bearer {jwt}"
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    try:
        try:
            response = urllib.request.urlopen(urllib.request.Request(API, body, headers), timeout=15)
        except urllib.error.HTTPError as error:
            response = error  # an answer like any other, of status 4xx or 5xx
        with response:
            answer = json.load(response)
    except (OSError, ValueError):
        raise Refused("NO_ANSWER") from None
    if "errors" in answer:
        extensions = answer["errors"][0]["extensions"]
        raise Refused(extensions["code"], extensions.get("retryAfterSeconds"))
    return answer["data"]


def main():
    credentials = {
        "username": os.environ.get("AUDIO_USERNAME", ""),
        "password": os.environ.get("AUDIO_PASSWORD", ""),
    }
    jwt = ask(SIGN_IN, credentials)["login"]["jwt"]
    try:
        token = ask(CREATE_TOKEN, jwt=jwt)["createToken"]
        print(f"Connect before {token['expiry']}", file=sys.stderr)
        print(token["streamUrl"])
    finally:
        ask(SIGN_OUT, jwt=jwt)


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        print(refused, file=sys.stderr)
        sys.exit(75 if refused.code in MAY_WORK_LATER else 1)
