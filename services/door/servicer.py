"""The front door: the one address that clients are given, and what is told there."""

from collections.abc import Sequence

import grpc
from tavolata.house.v1 import house_pb2, house_pb2_grpc


class FrontDoor(house_pb2_grpc.HouseServiceServicer):
    """Tells the same places to everybody; what may be done there is asked there."""

    def __init__(self, places: Sequence[house_pb2.Place]) -> None:
        self._places = places

    async def DescribeHouse(
        self, request: house_pb2.DescribeHouseRequest, context: object
    ) -> house_pb2.DescribeHouseResponse:
        return house_pb2.DescribeHouseResponse(services=self._places)


def register(server: grpc.aio.Server, places: Sequence[house_pb2.Place]) -> Sequence[str]:
    house_pb2_grpc.add_HouseServiceServicer_to_server(FrontDoor(places), server)
    return [house_pb2.DESCRIPTOR.services_by_name["HouseService"].full_name]
