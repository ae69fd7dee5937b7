"""A browser of the tests: opens a notebook in JupyterLab, changes parameters, runs all cells, says what came of it.

    python browser.py URL '{"interactive": "True"}' SECONDS

Prints one line of JSON: cells that ran, errors, and whether widgets were drawn. Needs PyQt6-WebEngine, which brings a
browser with it.
"""

import json
import os
import sys

os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QTWEBENGINE_DISABLE_SANDBOX": "1"}
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--disable-gpu --disable-logging"

from PyQt6.QtCore import QTimer, QUrl
from PyQt6.QtWebEngineWidgets import QWebEngineView
from PyQt6.QtWidgets import QApplication

RUN = """
window.told = null;
(async () => {
  const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  while (!window.jupyterapp) await wait(200);
  const app = window.jupyterapp;
  await app.restored;
  while (!app.shell.currentWidget || !app.shell.currentWidget.sessionContext) await wait(200);
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  const changes = CHANGES;
  for (const cell of panel.content.model.cells) {
    let source = cell.sharedModel.getSource();
    for (const [name, value] of Object.entries(changes))
      source = source.replace(new RegExp(`^${name} = .*$`, "m"), `${name} = ${value}`);
    if (cell.type === "code" && (cell.getMetadata("tags") || []).includes("parameters"))
      cell.sharedModel.setSource(source);
  }
  await app.commands.execute("notebook:run-all-cells");
  const cells = [...panel.content.model.cells].filter(cell => cell.type === "code");
  const outputs = cells.flatMap(cell => cell.outputs.toJSON());
  const errors = outputs.filter(one => one.output_type === "error").map(one => `${one.ename}: ${one.evalue}`);
  const view = "application/vnd.jupyter.widget-view+json";
  const widgets = () => document.querySelectorAll(".jupyter-widgets select, .jupyter-widgets input").length;
  const expected = outputs.some(one => one.data && view in one.data);
  await wait(1000);
  for (let tries = 0; expected && !widgets() && tries < 300; tries++) await wait(200);  // a busy machine draws late
  window.told = {
    cells: cells.length, run: cells.filter(cell => cell.executionCount > 0).length, errors,
    pictures: document.querySelectorAll(".jp-OutputArea-output img").length,
    widgets: widgets(),
  };
})().catch(error => { window.told = {errors: [String(error)]}; });
"""


def main(url, changes, seconds):
    app = QApplication(sys.argv[:1])
    view = QWebEngineView()
    view.resize(1280, 20_000)  # a tall window, for what is out of sight is not drawn
    asking = QTimer()
    asking.setInterval(500)

    def hear(told):
        if told:
            print(json.dumps(told))
            app.quit()

    asking.timeout.connect(lambda: view.page().runJavaScript("window.told", hear))

    def begin(_):
        view.page().runJavaScript(RUN.replace("CHANGES", json.dumps(changes)))
        asking.start()

    view.loadFinished.connect(begin)
    view.load(QUrl(url))
    view.show()
    QTimer.singleShot(1000 * seconds, app.quit)
    app.exec()


main(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]))
