"""How long the long tests are: `make soak` runs the full counts, CI a few, seeded by the commit."""

import logging

import pytest
import structlog


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=40, help="how often a process is killed")
    parser.addoption("--turns", type=int, default=100, help="turns under each seed of faults")
    parser.addoption("--trials", type=int, default=1, help="how often the queue's trial is run")
    parser.addoption("--seed", type=str, default="1", help="where the dice begin")


@pytest.fixture(scope="session")
def kills(pytestconfig: pytest.Config) -> int:
    return int(str(pytestconfig.getoption("--kills")))


@pytest.fixture(scope="session")
def turns(pytestconfig: pytest.Config) -> int:
    return int(str(pytestconfig.getoption("--turns")))


@pytest.fixture(scope="session")
def trials(pytestconfig: pytest.Config) -> int:
    return int(str(pytestconfig.getoption("--trials")))


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> str:
    return str(pytestconfig.getoption("--seed"))


@pytest.fixture(scope="session", autouse=True)
def quiet() -> None:
    """Bad weather fills pages of log; what the tests find is what counts."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
