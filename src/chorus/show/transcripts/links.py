"""Relations between entries: which call started which agent, permissions of calls, and running totals of cost."""

from chorus.core.conversation import items
from chorus.core.conversation.costs import cost_increments
from chorus.core.conversation.items import MAIN, Order
from chorus.core.conversation.tool_facts import facts_of
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.sketch import AGENT, CALL, PERMISSION, Sketch

_CALL, _AGENT = "call:", "agent:"


def _place(sketch: Sketch | None) -> str:
    return sketch.place if sketch is not None else ""


class Links:
    """The facts about other entries that rows depend on."""

    def __init__(self, sketches: dict[str, Sketch]) -> None:
        """`sketches` are the entries of the conversation by id. The owner of the dict keeps it up to date."""
        self._sketches = sketches
        self.agents: dict[str, items.Agent] = {}
        """Sub-agents by their agent ids."""
        self.version = 0
        """Increased with every change of what is known about agents."""
        self._ids_of_agent: dict[str, set[str]] = {}
        """Maps a call to all ids that streams use for the agent that it started."""
        self._calls_to: dict[str, set[str]] = {}
        """Maps an agent to the calls that started and resumed it."""
        self._subagents: dict[str, str] = {}
        """Maps a call to the preferred id of its agent."""
        self._naming_calls: set[str] = set()
        """Calls whose titles may be the names of agents."""
        self._permissions: dict[str, dict[str, tuple[Order, str]]] = {}
        self._turns: list[Sketch] = []
        self._totals: dict[str, items.Turn] = {}

    def learn(self, item: object, sketch: Sketch) -> None:
        """Stores what an entry says about other entries."""
        match item:
            case items.Call():
                if facts_of(item.name).names_agent:
                    self._naming_calls.add(item.tool_use_id)
                if self._subagents.get(item.tool_use_id) != item.subagent:
                    self._set_agent(item.tool_use_id, item.subagent)
            case items.Agent():
                self._forget_agent(item.agent)
                self.agents[item.agent] = item
                if item.call:
                    self._ids_of_agent.setdefault(item.call, set()).add(item.agent)
                self.version += 1
            case items.Turn() if item.agent == MAIN and item.total_cost_usd is not None:
                if item.id not in self._totals:
                    merged_walk.insert(self._turns, sketch)
                self._totals[item.id] = item
            case items.Permission() if item.tool_use_id is not None:
                self._permissions.setdefault(item.tool_use_id, {})[item.id] = item.order, item.state
            case _:
                pass

    def forget(self, sketch: Sketch) -> None:
        """Removes what an entry said about other entries."""
        if sketch.kind == CALL:
            self._naming_calls.discard(sketch.id.removeprefix(_CALL))
            self._set_agent(sketch.id.removeprefix(_CALL), None)
        elif sketch.kind == PERMISSION:
            self._permissions.get(sketch.link or "", {}).pop(sketch.id, None)
        elif sketch.kind == AGENT:
            self._forget_agent(sketch.id.removeprefix(_AGENT))
        elif sketch.id in self._totals:
            del self._totals[sketch.id]
            merged_walk.remove(self._turns, sketch)

    def call(self, tool_use_id: str) -> Sketch | None:
        found = self._sketches.get(_CALL + tool_use_id)
        return found if found is not None and found.kind == CALL else None

    def names_of(self, thread: str) -> list[str]:
        """Returns all ids that streams use for the agent of a thread."""
        mine = self.agents.get(thread)
        known = self._ids_of_agent.get(mine.call) if thread and mine is not None and mine.call else None
        return sorted({thread, *known}) if known else [thread]

    def thread_of(self, name: str) -> str:
        """Returns the preferred id of the agent of a thread."""
        known = self.agents.get(name)
        return self._subagents.get(known.call or "", name) if known is not None else name

    def best_agents(self) -> list[items.Agent]:
        """Returns each sub-agent once: one with several ids is listed under its preferred id."""
        found: dict[str, items.Agent] = {}
        for agent in sorted(self.agents.values(), key=lambda agent: agent.order):
            best = self.thread_of(agent.agent)
            found.setdefault(best, self.agents.get(best, agent))
        return list(found.values())

    def started(self) -> dict[str, str]:
        """Maps each agent that a call started to the thread of that call."""
        return {agent: self._sketches[_CALL + call].thread for call, agent in self._subagents.items()}

    def started_by(self, agent: str) -> Sketch | None:
        """Returns the call that started an agent."""
        known = self.agents.get(agent)
        return self.call(known.call) if known is not None and known.call else None

    def permission_of(self, call: str) -> str | None:
        """Returns the state of the last permission request for a call."""
        asked = self._permissions.get(call)
        return max(asked.values())[1] if asked else None

    def cost_of(self, turn: str, versions: tuple[str, ...]) -> float | None:
        """Returns what a turn added to the cost: the difference between its total and that of the turn before."""
        known = self._totals.get(turn)
        if known is None:
            return None
        at = merged_walk.position(self._turns, self._sketches[turn].key)
        before = [self._totals[self._turns[at - 1].id]] if at else []
        return cost_increments([*before, known], versions).get(turn)

    def has_turn_before(self, order: Order) -> bool:
        """Returns whether an earlier turn is known from which the cost of a turn at this order key can be computed."""
        return bool(self._totals) and min(turn.order for turn in self._totals.values()) < order

    def turn_after(self, turn: Sketch) -> Sketch | None:
        """Returns the next turn: its cost is the difference to this one."""
        return next(merged_walk.following([self._turns], turn.key), None)

    def agent_of(self, call: str) -> str | None:
        """Returns the agent that a call started or resumed."""
        return self._subagents.get(call)

    def calls_to(self, agent: str) -> list[str]:
        """Returns the calls that started and resumed an agent."""
        return sorted(self._calls_to.get(agent, ()))

    def naming_calls(self) -> list[str]:
        """Returns the calls whose titles may change with the name of any agent."""
        return sorted(self._naming_calls)

    def stretch(self, agent: str, call: str | None) -> merged_walk.Stretch:
        """Returns the part of an agent's thread that `call` led to; all of it for a single call or for None."""
        if call is None or len(self._calls_to.get(agent, ())) < 2:
            return None, None
        places = [(each.place, "") for each in sorted(map(self.call, self.calls_to(agent)), key=_place) if each]
        own = self.call(call)
        at = places.index((own.place, "")) if own is not None and (own.place, "") in places else None
        if at is None:
            return None, None
        return places[at] if at else None, places[at + 1] if at + 1 < len(places) else None

    def _set_agent(self, call: str, agent: str | None) -> None:
        before = self._subagents.pop(call, None)
        if before is not None:
            self._calls_to[before].discard(call)
        if agent is not None:
            self._subagents[call] = agent
            self._calls_to.setdefault(agent, set()).add(call)
        elif before is None:
            return
        self.version += 1

    def _forget_agent(self, name: str) -> None:
        known = self.agents.pop(name, None)
        if known is not None:
            self._ids_of_agent.get(known.call or "", set()).discard(name)
            self.version += 1
