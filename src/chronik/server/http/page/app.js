// The page: the current view, the loop that polls the broker, and the message when the broker is lost.

import { el, setAttribute, setText } from "./dom.js";
import { Faults } from "./faults.js";
import { clock, counted, duration } from "./format.js";
import { note } from "./history.js";
import { getJson, Polling, RefusedError } from "./polling.js";
import { ThemeChoice } from "./theme_choice.js";
import { ClusterView } from "./view_cluster.js";
import { GroupsView, GroupView } from "./view_groups.js";
import { PartitionsView } from "./view_partitions.js";
import { PartitionView } from "./view_partition.js";
import { TraceView } from "./view_trace.js";

const byId = (id) => document.getElementById(id);

/** A route is what follows the number sign: /partitions/orders/2?sort=lag. */
function currentRoute() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query ?? "") };
}

function viewFor(route) {
  const [name, first, second] = route.path;
  if (name === "partitions") return second === undefined ? new PartitionsView(route) : new PartitionView(route);
  if (name === "groups") return first === undefined ? new GroupsView(route) : new GroupView(route);
  if (name === "trace") return new TraceView(route);
  return new ClusterView(route);
}

class Page {
  constructor() {
    this.main = byId("content");
    this.faults = new Faults((text) => setText(byId("news"), text));
    this.place = el("div");
    this.main.append(this.faults.node, this.place);
    this.polling = new Polling(() => this.look(), () => this.showLink());
    this.theme = new ThemeChoice(byId("theme"));
    window.addEventListener("hashchange", () => this.show({ isMoved: true }));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.main.focus();
    });
    setInterval(() => this.showLink(), 1000);
    this.show({ isMoved: false });
  }

  show({ isMoved }) {
    const route = currentRoute();
    this.view = viewFor(route);
    this.view.onAsked = () => this.polling.now();
    this.place.replaceChildren(this.view.node);
    for (const link of byId("views").querySelectorAll("a")) {
      const isCurrent = link.hash === `#/${route.path[0] ?? "cluster"}`;
      setAttribute(link, "aria-current", isCurrent ? "page" : null);
    }
    this.nameDocument();
    if (isMoved) {
      window.scrollTo(0, 0);
      const heading = this.view.node.querySelector("h1");
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    // Known data is shown at once; the rest follows with the next poll.
    if (this.cluster && this.view.urls?.().length === 0) this.view.update(this.cluster, []);
    this.polling.now();
  }

  /** Get the cluster's status and the data of the view; the view shows its own errors. */
  async look() {
    const view = this.view;
    const own = this.load(view).catch((error) => error);
    const cluster = await getJson("/api/cluster");
    this.cluster = cluster;
    for (const group of cluster.groups) note(`group ${group.group}`, cluster.now_ms, group.lag);
    this.faults.update(cluster.faults, cluster);
    const answers = await own;
    if (answers instanceof Error && !(answers instanceof RefusedError)) throw answers;
    if (view === this.view) {
      if (answers instanceof Error) view.fail?.(answers);
      else view.update(cluster, answers);
    }
    this.nameDocument();
    setText(byId("about"), `Chronik ${ownVersion(cluster)}, cluster ${cluster.cluster_id}`);
  }

  load(view) {
    return view.load ? view.load(getJson, this.cluster) : Promise.all(view.urls().map(getJson));
  }

  nameDocument() {
    const faults = this.cluster?.faults.length ?? 0;
    const title = `${faults > 0 ? `(${counted(faults, "fault")}) ` : ""}${this.view.title} – Chronik`;
    if (document.title !== title) document.title = title;
  }

  showLink() {
    const { polling } = this;
    const asked = this.cluster ? `broker ${this.cluster.asked}` : location.host;
    const isWaiting = polling.lastGoodAt === null && !polling.isLost;
    setAttribute(byId("link"), "data-state", polling.isLost ? "lost" : isWaiting ? "waiting" : "live");
    setText(byId("link-text"), polling.isLost ? "lost" : isWaiting ? "connecting" : `live from ${asked}`);
    setAttribute(document.body, "data-stale", polling.isLost);
    this.showLoss(polling, asked);
  }

  showLoss(polling, asked) {
    const place = byId("lost");
    if (!polling.isLost) {
      if (this.wasLost) setText(byId("news"), `${asked} answers again.`);
      this.wasLost = false;
      place.replaceChildren();
      return;
    }
    if (!this.wasLost) {
      this.since = el("span", { "aria-live": "off" });
      place.replaceChildren(el("strong", { text: `This page has lost ${asked}. ` }), this.since, ...this.elsewhere());
      this.wasLost = true;
    }
    const shown = polling.lastGoodAt === null ? "No data has been received yet." : `The data shown is from ${clock(polling.lastGoodAt)}.`;
    const wait = Math.max(polling.nextAt - Date.now(), 0);
    const next = wait > 900 ? `trying again in ${duration(Math.ceil(wait / 1000) * 1000)}` : "trying again now";
    const why = polling.error instanceof RefusedError ? `Its error: ${polling.error.message}. ` : "";
    setText(this.since, `${why}It has not answered for ${duration(Date.now() - polling.lostSince)}; ${next}. ${shown} `);
  }

  /** Links to the same view of other brokers: each shows the whole cluster. */
  elsewhere() {
    const others = (this.cluster?.brokers ?? []).filter((broker) => broker.up && broker.http && broker.node_id !== this.cluster.asked);
    return others.map((broker) => el("a", { href: `${location.protocol}//${broker.http}/${location.hash}`, text: `Ask broker ${broker.node_id}` }));
  }
}

function ownVersion(cluster) {
  return cluster.brokers.find((broker) => broker.node_id === cluster.asked)?.version ?? "";
}

new Page();
