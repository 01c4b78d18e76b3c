"""Pod Swiss: who sits with whom, and why.

Start with ``problem`` for the question and the answer. ``field`` says what everything costs, ``search`` how the pods
are found, ``seats`` and ``tables`` what happens to them then, ``explain`` what a contender may ask afterwards.
"""

from engine.tournament.pairing.bounds import repeats_bound as repeats_bound
from engine.tournament.pairing.check import check as check
from engine.tournament.pairing.engine import pair as pair
from engine.tournament.pairing.engine import seat_pods as seat_pods
from engine.tournament.pairing.explain import Explanation as Explanation
from engine.tournament.pairing.explain import explain as explain
from engine.tournament.pairing.problem import ENGINE as ENGINE
from engine.tournament.pairing.problem import NEVER as NEVER
from engine.tournament.pairing.problem import UNIT_MAX as UNIT_MAX
from engine.tournament.pairing.problem import Contender as Contender
from engine.tournament.pairing.problem import Pairing as Pairing
from engine.tournament.pairing.problem import Pod as Pod
from engine.tournament.pairing.problem import PodProblem as PodProblem
from engine.tournament.pairing.problem import Quality as Quality
from engine.tournament.pairing.quality import quality_of as quality_of
from engine.tournament.sizes import byes_needed as byes_needed
