"""What is going on in the house: live tables, games, players, a practice table."""

from fastapi import APIRouter

router = APIRouter(tags=["lobby"])
