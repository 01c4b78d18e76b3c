"""Boards as pictures."""

from fastapi import APIRouter

router = APIRouter(tags=["pictures"])
