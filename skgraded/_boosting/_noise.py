"""Random noise on the scores, over which derivatives are averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skgraded import _core
from skgraded._support.arguments import choice, integer, number


@dataclass(frozen=True)
class Noise:
    """Random numbers that are added to scores.

    Attributes
    ----------
    kind : {"gumbel", "logistic"}
        Distribution of the numbers, in its standard form.
    scale : float
        The unit of the numbers, in standard deviations of the scores of a query.
    n_draws : int
        Number of draws.
    seed : int
        Seed of the draws.
    """

    kind: str
    scale: float
    n_draws: int
    seed: int

    @property
    def of_kernel(self) -> _core.Noise:
        """The noise in the kernel's form, with the low 64 bits of the seed."""
        return _core.Noise(
            kind=_core.NoiseKind[self.kind],
            scale=self.scale,
            n_draws=self.n_draws,
            seed=self.seed % 2**64,
        )

    def __str__(self) -> str:
        return (
            f"noise={self.kind!r}, noise_scale={self.scale!r}, n_draws={self.n_draws!r}, "
            f"random_state={self.seed!r}"
        )


def chosen_noise(noise: Any, noise_scale: Any, n_draws: Any, random_state: Any) -> Noise | None:
    """Check the noise arguments of `objective`; return the noise, or None if there is none."""
    scale = number("noise_scale", noise_scale, above=0)
    drawn = integer("n_draws", n_draws, 1)
    seed = integer("random_state", random_state, 0)
    if noise is None:
        return None
    kind = choice("noise", noise, _core.NoiseKind.__members__, alternative=", or None for no noise")
    return Noise(kind, scale, drawn, seed)
