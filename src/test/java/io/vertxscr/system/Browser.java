package io.vertxscr.system;

import io.vertxscr.timing.Eventually;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** A Chromium without a window that looks at a dashboard. Debian's, with its driver; nothing is downloaded. */
final class Browser implements AutoCloseable {
  private static final File CHROMIUM = new File("/usr/bin/chromium");
  private static final File DRIVER = new File("/usr/bin/chromedriver");
  private static final Path PICTURES =
      Path.of(System.getProperty("scr.home", "."), "target", "dashboard");
  private static final Dimension WIDE = new Dimension(1280, 1500);
  private static final Dimension PHONE = new Dimension(500, 1500);

  private final ChromeDriver driver;

  private Browser(String address) {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM);
    // Without a sandbox of its own: in a container there is none, and it opens no page but ours.
    options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars");
    driver = new ChromeDriver(new ChromeDriverService.Builder().usingDriverExecutable(DRIVER).usingAnyFreePort()
        .build(), options);
    driver.manage().window().setSize(WIDE);
    driver.get(address);
  }

  /** Looks at the dashboard of a daemon. */
  static Browser at(DaemonProcess daemon) throws Exception {
    return new Browser("http://" + daemon.httpAddress() + "/");
  }

  static boolean isInstalled() {
    return CHROMIUM.canExecute() && DRIVER.canExecute();
  }

  String address() {
    return driver.getCurrentUrl();
  }

  /** Waits until an element has this text in it. */
  void shows(String selector, String text) throws Exception {
    String[] seen = {""};
    try {
      Eventually.holds(selector + " shows " + text, () -> {
        seen[0] = text(selector);
        return seen[0].contains(text);
      });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", but: " + seen[0], e);
    }
  }

  private String text(String selector) {
    return (String) driver.executeScript("return document.querySelector(arguments[0])?.innerText ?? ''", selector);
  }

  /** Returns how many elements there are. */
  long count(String selector) {
    return (Long) driver.executeScript("return document.querySelectorAll(arguments[0]).length", selector);
  }

  /** Returns number, state and flush of each dataset in the table. */
  String rows() {
    return (String) driver.executeScript("return [...document.querySelectorAll('#datasets tbody tr')].map(row =>"
        + " [row.dataset.dataset, row.dataset.state, row.dataset.flush].join(' ')).join('; ')");
  }

  /** Returns when and by whom the picture on the page was made, and how live it is. */
  String made() {
    return text("#made") + ", " + text("#live");
  }

  /** Returns the nodes of the map that are not lost, in order. */
  String nodes() {
    return (String) driver.executeScript("return [...document.querySelectorAll('.cell:not(.gone)')].map(cell =>"
        + " cell.dataset.node).sort().join(' ')");
  }

  /**
   * Clicks an element as soon as it is there and nothing covers it. In one script: a click by the driver is thirty
   * messages to the page, which draws its tables anew meanwhile.
   */
  void click(String selector) throws Exception {
    Eventually.holds("a click on " + selector, () -> (Boolean) driver.executeScript("""
        const found = document.querySelector(arguments[0]);
        found?.scrollIntoView({block: 'nearest'});
        const at = found?.getBoundingClientRect();
        if (!at || !found.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2))) {
          return false;
        }
        found.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, view: window}));
        return true;
        """, selector));
  }

  void type(String selector, CharSequence... keys) {
    driver.findElement(By.cssSelector(selector)).sendKeys(keys);
  }

  /** Takes screenshots: light, dark, and as wide as a phone. @param directory that is shown as /scratch/heat there */
  void screenshots(String name, Path directory) throws IOException {
    Files.createDirectories(PICTURES);
    driver.executeScript("const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
        + "while (texts.nextNode()) { texts.currentNode.data = texts.currentNode.data"
        + ".replaceAll(arguments[0], '/scratch/heat'); }", directory.toString());
    screenshot(name + "-light", "light", WIDE);
    screenshot(name + "-dark", "dark", WIDE);
    screenshot(name + "-phone", "light", PHONE);
    driver.manage().window().setSize(WIDE);
  }

  private void screenshot(String name, String theme, Dimension size) throws IOException {
    driver.manage().window().setSize(size);
    driver.executeScript("document.documentElement.dataset.theme = arguments[0]", theme);
    Files.write(PICTURES.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }

  /** Returns what the browser has complained of: errors of the script, and what the security policy has refused. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue()).map(LogEntry::getMessage).toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
