#!/usr/bin/env python3
"""Creates a token and prints the stream's address. Needs Python 3 and no package.

    AUDIO_KEY=… docs/examples/token.py

With AUDIO_USERNAME and AUDIO_PASSWORD instead of a key it signs in before and signs out afterwards.

Waits as long as a limit says. Ends with 75 when the same may work later, with 1 when it will not.
"""

import contextlib
import http.client
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

API = os.environ.get("AUDIO_API", "http://127.0.0.1:4000/graphql")
WILL_NOT_WORK = {
    "INVALID_CREDENTIALS",
    "UNAUTHENTICATED",
    "BAD_USER_INPUT",
    "GRAPHQL_PARSE_FAILED",
    "GRAPHQL_VALIDATION_FAILED",
    "OPERATION_RESOLUTION_FAILURE",
    "PERSISTED_QUERY_NOT_SUPPORTED",
    "BAD_REQUEST",
    "NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
}

SIGN_IN = """mutation SignIn($username: String!, $password: String!) {
  login(username: $username, password: $password) { jwt }
}"""
CREATE_TOKEN = "mutation CreateToken { createToken { streamUrl expiry } }"
SIGN_OUT = "mutation SignOut { logout }"


class Refused(Exception):
    def __init__(self, code, message, request_id=None):
        found_by = "" if request_id is None else f" (x-request-id {request_id})"
        super().__init__(f"{code}: {message}{found_by}")
        self.code = code


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: password, session and key go only to the given address."""

    def redirect_request(self, *_):
        return None


def ask(query, variables=None, bearer=None):
    """Returns the data of an operation; asks again after the wait of a limit.

    Raises Refused with the code of the failure, or NO_ANSWER without a readable answer.
    """
    headers = {"content-type": "application/json"}
    if bearer is not None:
        headers["authorization"] = f"Bearer {bearer}"
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    request = urllib.request.Request(API, body, headers)
    try:
        try:
            response = urllib.request.build_opener(NoRedirect).open(request, timeout=21)
        except urllib.error.HTTPError as error:
            response = error  # an answer like any other, of status 4xx or 5xx
        with response:
            request_id = response.headers.get("x-request-id")
            answer = json.load(response)
    except ValueError:
        raise Refused("NO_ANSWER", f"no JSON, but status {response.status}", request_id) from None
    except (OSError, http.client.HTTPException) as error:
        if isinstance(getattr(error, "reason", error), ssl.SSLCertVerificationError):
            sys.exit(f"The certificate of AUDIO_API is not accepted: {error.reason.verify_message}")
        raise Refused("NO_ANSWER", getattr(error, "reason", error)) from None
    if "errors" in answer:
        error = answer["errors"][0]
        extensions = error["extensions"]
        refused = Refused(extensions["code"], error["message"], request_id)
        wait = extensions.get("retryAfterSeconds")
        if wait is None:
            raise refused
        print(f"{refused}; waiting {wait} s", file=sys.stderr)
        time.sleep(wait)
        return ask(query, variables, bearer)
    return answer["data"]


@contextlib.contextmanager
def session(credentials):
    jwt = ask(SIGN_IN, credentials)["login"]["jwt"]
    try:
        yield jwt
    finally:
        try:
            ask(SIGN_OUT, bearer=jwt)
        except Refused as refused:
            print(f"The session was not ended: {refused}", file=sys.stderr)


def main():
    if not is_private(API):
        sys.exit("AUDIO_API has to be an https:// address; http:// leads to this machine alone")
    if urllib.parse.urlsplit(API).scheme == "http":
        os.environ["no_proxy"] = "*"  # a proxy would see the key
    key = os.environ.get("AUDIO_KEY")
    with contextlib.nullcontext(key) if key else session(credentials()) as bearer:
        token = ask(CREATE_TOKEN, bearer=bearer)["createToken"]
        print(f"Connect before {token['expiry']}", file=sys.stderr)
        print(token["streamUrl"])


def credentials():
    for name in ("AUDIO_USERNAME", "AUDIO_PASSWORD"):
        if not os.environ.get(name):
            sys.exit(f"{name} is missing, or AUDIO_KEY")
    return {"username": os.environ["AUDIO_USERNAME"], "password": os.environ["AUDIO_PASSWORD"]}


def is_private(address):
    try:
        url = urllib.parse.urlsplit(address)
        url.port  # raises unless it is a number
    except ValueError:
        return False
    if any(character <= " " for character in address) or not url.hostname:
        return False
    is_here = url.hostname in {"127.0.0.1", "::1", "localhost"}
    return url.scheme == "https" or (url.scheme == "http" and is_here)


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        print(refused, file=sys.stderr)
        sys.exit(1 if refused.code in WILL_NOT_WORK else 75)
