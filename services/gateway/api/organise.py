"""Events, to run."""

from fastapi import APIRouter

router = APIRouter(tags=["organise"])
