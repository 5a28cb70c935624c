// Belay's hooks for OpenCode, as belay init --agent opencode installs them (--remove takes them away), and as an npm package.
// Whatever goes wrong here, OpenCode continues: only belay's own denial stops a tool.
import { spawn } from "node:child_process"

const program = "belay"

// What a hook may take, in milliseconds.
const usual = 60_000
const atStop = 600_000

// ask sends one event to belay and gives its answer, {} when there is none.
function ask(event, limit) {
  return new Promise((resolve) => {
    let out = ""
    let err = ""
    let done = false
    const end = (answer) => {
      if (done) return
      done = true
      clearTimeout(timer)
      resolve(answer)
    }
    let child
    const timer = setTimeout(() => {
      end({})
      try {
        child?.kill("SIGTERM")
      } catch {}
    }, limit)
    timer.unref?.()
    try {
      child = spawn(program, ["hook", "opencode"], { cwd: event.cwd, stdio: ["pipe", "pipe", "pipe"] })
    } catch {
      return end({})
    }
    child.on("error", () => end({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (out += data))
    child.stderr.on("data", (data) => (err += data))
    child.on("close", (code) => {
      let answer = {}
      try {
        answer = JSON.parse(out) ?? {}
      } catch {}
      if (code === 2) answer = { ...answer, decision: "deny", reason: answer.reason || err.trim() || "denied by belay" }
      else if (code !== 0) answer = {}
      end(answer)
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Belay = async ({ client, directory }) => {
  const started = new Map() // what belay said at the start, by session
  const nested = new Map() // whether a session is a subagent's
  const inputs = new Map() // of calls that are running

  const send = (name, session, more, limit = usual) =>
    ask({ hook_event_name: name, session_id: session, cwd: directory, ...more }, limit)

  const start = async (session) => {
    if (!started.has(session)) started.set(session, send("SessionStart", session, { source: "startup" }))
    return started.get(session)
  }

  const isNested = async (session) => {
    if (!nested.has(session)) {
      const answer = await client.session.get({ path: { id: session } }).catch(() => undefined)
      nested.set(session, Boolean(answer?.data?.parentID))
    }
    return nested.get(session)
  }

  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      const session = event.properties?.sessionID ?? info?.id
      if (!session) return
      if (event.type === "session.created") {
        nested.set(session, Boolean(info?.parentID))
        if (!info?.parentID) await start(session)
      } else if (event.type === "session.deleted") {
        if (started.delete(session)) await send("SessionEnd", session, { reason: "deleted" })
      } else if (event.type === "session.idle" && started.has(session) && !(await isNested(session))) {
        const answer = await send("Stop", session, {}, atStop)
        if (answer.decision === "deny" && answer.reason) {
          await client.session.prompt({ path: { id: session }, body: { parts: [{ type: "text", text: answer.reason }] } }).catch(() => {})
        }
      }
    },

    "chat.message": async ({ sessionID }, { parts }) => {
      if (await isNested(sessionID)) return
      await start(sessionID)
      const prompt = parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      await send("UserPromptSubmit", sessionID, { prompt })
    },

    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const answer = sessionID && started.has(sessionID) ? await started.get(sessionID) : {}
      if (answer.context) output.system.push(answer.context)
    },

    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      inputs.set(callID, output.args)
      const answer = await send("PreToolUse", sessionID, { tool_name: tool, tool_input: output.args, tool_use_id: callID })
      if (answer.decision === "deny") {
        inputs.delete(callID)
        throw new Error(answer.reason || "denied by belay")
      }
    },

    "tool.execute.after": async ({ tool, sessionID, callID }, output) => {
      const input = inputs.get(callID) ?? {}
      inputs.delete(callID)
      const answer = await send("PostToolUse", sessionID, { tool_name: tool, tool_input: input, tool_use_id: callID })
      const said = answer.context || (answer.decision === "deny" && answer.reason)
      if (said && typeof output?.output === "string") output.output += "\n" + said
    },
  }
}
