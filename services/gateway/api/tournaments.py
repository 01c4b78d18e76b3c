"""Events, to follow."""

from fastapi import APIRouter

router = APIRouter(tags=["tournaments"])
