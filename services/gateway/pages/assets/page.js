// Keeps a page fresh: asks for it again under its entity tag, and puts the new <main> in place of the old one.
"use strict";

const EVERY_MS = 700; // so that a new round shows within a second of its publication
const HIDDEN_EVERY_MS = 15000;
const LOST_AFTER = 3; // failures in a row before we say so

const line = document.getElementById("line");
const news = document.getElementById("news");
const find = document.getElementById("find");
let etag = null;
let failures = 0;

function filter() {
  const wanted = find ? find.value.trim().toLocaleLowerCase() : "";
  for (const row of document.querySelectorAll("tr[data-find]")) {
    row.hidden = wanted !== "" && !row.dataset.find.includes(wanted);
  }
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const next = fresh.querySelector("main");
  const now = document.querySelector("main");
  if (!next || next.outerHTML === now.outerHTML) return;
  const scrolled = document.querySelector(".wide")?.scrollLeft ?? 0;
  now.replaceWith(document.adoptNode(next));
  document.title = fresh.title;
  const wide = document.querySelector(".wide");
  if (wide) wide.scrollLeft = scrolled;
  if (next.dataset.news && next.dataset.news !== now.dataset.news) news.textContent = next.dataset.news;
  filter();
}

async function look() {
  if (looking) return;
  looking = true;
  try {
    // The browser's own cache sends If-None-Match; an unchanged page comes back under the same tag.
    const answer = await fetch(location.href, { cache: "no-cache", credentials: "omit" });
    if (!answer.ok) throw new Error(String(answer.status));
    failures = 0;
    const tag = answer.headers.get("etag");
    if (tag !== etag) {
      show(await answer.text());
      etag = tag;
    }
  } catch {
    failures += 1;
  }
  const lost = failures >= LOST_AFTER;
  line.textContent = lost ? line.dataset.lost : line.dataset.live;
  line.classList.toggle("lost", lost);
  const pause = document.hidden ? HIDDEN_EVERY_MS : EVERY_MS * Math.min(1 + failures, 8);
  looking = false;
  timer = setTimeout(look, pause);
}

let looking = false;
let timer = setTimeout(look, EVERY_MS);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  clearTimeout(timer);
  timer = setTimeout(look, 0);
});
if (find) find.addEventListener("input", filter);
