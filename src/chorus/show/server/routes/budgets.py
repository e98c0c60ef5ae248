"""Routes for budgets: the list with what is used, signed changes, and what a new budget would mean."""

from litestar import get, post
from litestar.params import JSONBody

from chorus.show import wire
from chorus.show.server.context import Context


@get("/api/budgets")
async def budgets(server: Context) -> wire.Budgets:
    """Returns the budgets, how much of each is used now, and entries that have no effect."""
    return await server.readers.run(server.budgets.budgets)


@post("/api/budgets", status_code=200)
async def change_budgets(server: Context, data: JSONBody[wire.BudgetChangeAsked]) -> wire.Budgets:
    """Sets or removes a budget; an approver must have signed the change."""
    return await server.readers.run(lambda index: server.budgets.change(data, index))


@post("/api/budgets/test", status_code=200)
async def test_budget(server: Context, data: JSONBody[wire.BudgetAsked]) -> wire.BudgetTest:
    """Returns where a budget would count now, and how much of it is used. Nothing is set."""
    return await server.readers.run(lambda index: server.budgets.test(data.text, index))
