# An application that uses authlib with Flask, from the packages of Debian.
import os

from authlib.integrations.flask_client import OAuth
from authlib.jose import JsonWebKey, jwt
from flask import Flask, redirect, request, session
import requests

issuer, client_id = os.environ["ISSUER"], os.environ["CLIENT_ID"]
app = Flask(__name__)
app.secret_key = "secret-of-the-trial"
oauth = OAuth(app)
authsvc = oauth.register(
    "authsvc",
    client_id=client_id,
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile", "code_challenge_method": "S256"},
)
ended = set()
EVENT = "http://schemas.openid.net/event/backchannel-logout"


@app.get("/")
def home():
    user = session.get("user")
    if user and user["sid"] not in ended:
        return f"user {user['preferred_username']}"
    return authsvc.authorize_redirect(os.environ["URL"] + "/callback")


@app.get("/callback")
def callback():
    token = authsvc.authorize_access_token()
    session["user"] = token["userinfo"]
    session["refresh"], session["access"] = token["refresh_token"], token["access_token"]
    return redirect("/")


@app.get("/refresh")
def refresh():
    token = authsvc.fetch_access_token(grant_type="refresh_token", refresh_token=session["refresh"])
    authsvc.userinfo(token=token)
    return "refreshed" if token["access_token"] != session["access"] else "the same"


@app.post("/backchannel")
def backchannel():
    keys = JsonWebKey.import_key_set(requests.get(f"{issuer}/authsvc/oidc/jwks", timeout=5).json())
    options = {"iss": {"value": issuer}, "aud": {"value": client_id}, "events": {"essential": True}}
    claims = jwt.decode(request.form["logout_token"], keys, claims_options=options)
    claims.validate()
    assert claims.header["typ"] == "logout+jwt" and EVENT in claims["events"] and "nonce" not in claims
    ended.add(claims["sid"])
    return ""


app.run(port=int(os.environ["PORT"]))
