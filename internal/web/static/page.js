// Everything works without this: it keeps a page up to date, and adds keys.

const main = document.querySelector("#main");
const live = document.querySelector("#live");

// The events say that something changed, not what: the page is asked for again, and what differs is put in its place.
let busy = false;
let again = false;

async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok) {
      put(new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#main"));
    }
  } catch {
    // The event stream says when the server is back.
  }
  busy = false;
  if (again) {
    again = false;
    setTimeout(refresh, 250);
  }
}

// What a person has written or opened stays: a section with a form in use is not replaced, and opened details stay open.
function put(fresh) {
  const others = new Set([...fresh.children].map(nameOf));
  const held = [...main.children].filter((part) => used(part) && others.has(nameOf(part)));
  if (held.length) {
    const stays = new Set(held.map(nameOf));
    for (const part of [...main.children]) {
      if (!held.includes(part)) part.remove();
    }
    let at = 0;
    for (const part of [...fresh.children]) {
      if (stays.has(nameOf(part))) at++;
      else main.insertBefore(part, held[at] ?? null);
    }
    return;
  }
  const open = new Set([...main.querySelectorAll("details[open] > summary")].map((s) => s.textContent));
  const focus = selectorOf(document.activeElement);
  main.replaceChildren(...fresh.childNodes);
  for (const s of main.querySelectorAll("details > summary")) {
    if (open.has(s.textContent)) s.parentElement.open = true;
  }
  if (focus) main.querySelector(focus)?.focus({ preventScroll: true });
  tails();
}

// The same question in the page before and after.
const nameOf = (part) => `${part.getAttribute("aria-labelledby")} ${part.querySelector("[name=gate]")?.value}`;

const used = (part) => [...part.querySelectorAll("[data-keep]")].some((form) => form.contains(document.activeElement) ||
  [...form.querySelectorAll("textarea")].some((t) => t.value !== t.defaultValue));

function selectorOf(element) {
  if (!element || !main.contains(element)) return "";
  if (element.id) return "#" + CSS.escape(element.id);
  const to = element.getAttribute("href");
  return to ? `a[href="${CSS.escape(to)}"]` : "";
}

function tails() {
  for (const pre of main.querySelectorAll("[data-tail]")) pre.scrollTop = pre.scrollHeight;
}

if (document.body.dataset.events) {
  const events = new EventSource(document.body.dataset.events);
  events.addEventListener("hello", () => (live.textContent = "● live"));
  events.addEventListener("change", refresh);
  // A server that was restarted does not know this browser: the stream is then closed for good.
  events.onerror = () => (live.textContent = events.readyState === EventSource.CLOSED
    ? "○ belay ui was restarted: open its new link" : "○ no answer from belay ui");
}
tails();

// Keys: those of the terminal where it has some.
const rows = () => [...main.querySelectorAll("[data-row]")];
const linkIn = (row) => row.querySelector("a") ?? row.querySelector("summary");

function move(step) {
  const all = rows();
  const at = all.findIndex((r) => r.contains(document.activeElement));
  const to = all[Math.min(all.length - 1, Math.max(0, at + step))];
  if (!to) return;
  const link = linkIn(to);
  if (link) link.focus({ preventScroll: true });
  else {
    to.tabIndex = -1;
    to.focus({ preventScroll: true });
  }
  to.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (e) => {
  const typing = e.target.matches("input, textarea, select");
  if (e.key === "Escape" && typing) e.target.blur();
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "j") move(1);
  else if (e.key === "k") move(-1);
  else if (e.key === "u") main.querySelector("[data-up]")?.click();
  else if (e.key === "/") {
    const search = main.querySelector("input[type=search]");
    if (!search) return;
    search.focus();
  } else {
    // A decision's key moves to its button: Enter decides. One key alone decides nothing.
    const button = [...main.querySelectorAll("[data-key]")].find((b) => b.dataset.key === e.key);
    if (!button) return;
    button.focus();
  }
  e.preventDefault();
});

// Comments: a click on a line's number brings the form below that line; shift and a click make it a range.
const form = document.querySelector("#comment-form");
if (form) {
  const field = (name) => form.elements.namedItem(name);
  main.addEventListener("click", (e) => {
    const cell = e.target.closest(".code td.n");
    const line = Number(cell?.textContent);
    if (!line) return;
    const path = cell.closest("[data-path]").dataset.path;
    const side = cell === cell.parentElement.querySelector("td.n") ? "old" : "new";
    const same = field("path").value === path && field("side").value === side;
    const from = Number.parseInt(field("line").value, 10);
    field("path").value = path;
    field("side").value = side;
    field("line").value = e.shiftKey && same && from && from < line ? `${from}-${line}` : `${line}`;
    const holder = document.createElement("tr");
    const room = holder.appendChild(document.createElement("td"));
    room.colSpan = 4;
    const old = form.closest("tr");
    let after = cell.parentElement;
    while (after.nextElementSibling?.classList.contains("remark")) after = after.nextElementSibling;
    after.after(holder);
    room.append(form);
    old?.remove();
    field("text").focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (e) => {
    if (e.key !== "c" || e.target.matches("input, textarea, select") || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    field("line").focus();
  });
}

// The rest of a long file comes when it is scrolled to.
const more = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) if (isIntersecting) fill(target);
}, { rootMargin: "600px" });

async function fill(note) {
  more.unobserve(note);
  const answer = await fetch(note.querySelector("a").href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return; // the link is still there
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const parts = [...page.querySelectorAll(".patch > .file, .patch > .note")];
  for (const part of parts) {
    part.removeAttribute("aria-labelledby");
    part.querySelector("h2")?.removeAttribute("id");
  }
  const place = note.dataset.more === "instead" ? note.closest(".file") : note;
  place.replaceWith(...parts);
  for (const part of form ? parts : []) {
    const path = part.dataset.path; // of a file that the page did not have before
    const choices = form.elements.namedItem("path");
    if (path && ![...choices.options].some((o) => o.value === path)) choices.add(new Option(part.querySelector("h2").textContent, path));
  }
  for (const part of parts) if (part.dataset.more) more.observe(part);
}
for (const note of main.querySelectorAll("[data-more]")) more.observe(note);

// Two images over one another: the newer one appears as the slider moves.
for (const pair of main.querySelectorAll(".images")) {
  const [before, after] = pair.querySelectorAll("img");
  if (!after) continue;
  const label = document.createElement("label");
  label.className = "onion-skin";
  label.textContent = "before and after over one another ";
  const slider = label.appendChild(document.createElement("input"));
  slider.type = "range";
  slider.value = slider.max = "100";
  slider.addEventListener("input", () => {
    pair.classList.add("onion");
    after.style.opacity = `${slider.value / 100}`;
  });
  slider.addEventListener("dblclick", () => {
    pair.classList.remove("onion");
    after.style.opacity = "";
  });
  before.closest(".images").before(label);
}
