"""An exported match, checked while one watches."""

from fastapi import APIRouter

router = APIRouter(tags=["verify"])
