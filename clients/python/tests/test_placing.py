"""Goal: the client places files exactly as the daemon does, and lets none out of the prefix directory. That the two
agree is shown in test_daemons, where a daemon holds each list against its own rule."""

import json
import os
import random
import shutil
import tempfile
import unittest
import unittest.mock

import scr
from scr._placing import CacheNames, NamedFile, OutputFiles, RestartFiles

SEED = int(os.environ.get("SCR_TEST_SEED", random.randrange(1 << 32)))


class CacheNamesTest(unittest.TestCase):
    def names(self, *paths):
        names = CacheNames()
        return [names.next(path) for path in paths]

    def test_base_names_that_are_taken_get_the_smallest_free_number(self):
        self.assertEqual(self.names("a/f", "b/f", "c/f", "c/g"), ["f", "1/f", "2/f", "g"])

    def test_base_names_that_are_numbers_are_no_directories(self):
        self.assertEqual(self.names("1", "f", "g/f"), ["1", "f", "2/f"])
        self.assertEqual(self.names("f", "g/f", "1"), ["f", "1/f", "1/1"])
        self.assertEqual(self.names("01", "f", "g/f"), ["01", "f", "1/f"])

    def test_no_name_is_given_twice_and_none_is_the_directory_of_another(self):
        dice = random.Random(SEED)
        for _ in range(300):
            names = self.names(*(f"{i}/{dice.choice(['a', '1', '2', '3', '10'])}" for i in range(dice.randrange(40))))
            self.assertEqual(len(set(names)), len(names), f"seed {SEED}")
            directories = {os.path.dirname(name) for name in names}
            self.assertFalse(directories & set(names), f"seed {SEED}: {names}")


class OutputFilesTest(unittest.TestCase):
    def setUp(self):
        self.base = os.path.realpath(tempfile.mkdtemp(prefix="scr"))
        self.addCleanup(shutil.rmtree, self.base)
        self.addCleanup(os.chdir, os.getcwd())
        self.prefix = os.path.join(self.base, "p")
        self.cache = os.path.join(self.base, "cache")
        os.mkdir(self.prefix)
        os.chdir(self.prefix)
        self.files = OutputFiles(self.prefix, self.cache)

    def test_one_file_has_one_place_by_whichever_name(self):
        os.symlink(self.prefix, os.path.join(self.base, "other"))
        os.mkdir("d")
        os.symlink("d", "link")
        open("d/there", "w").close()
        os.symlink("d/there", "alias")
        names = ["d/f", "//" + self.prefix + "/d/f", "./d/f", "d/../d/f", "link/f", self.prefix + "/d/f", self.base + "/other/d/f"]
        self.assertEqual({self.files.route(name) for name in names}, {self.cache + "/f"})
        self.assertEqual(self.files.route("alias"), self.files.route("d/there"))
        self.assertEqual(
            self.files.listed(), [NamedFile(self.prefix + "/d/f", "f"), NamedFile(self.prefix + "/d/there", "there")]
        )

    def test_relative_names_start_in_the_working_directory_of_that_moment(self):
        os.mkdir("d")
        os.chdir("d")
        self.files.route("f")
        os.chdir("..")
        self.files.route("f")
        self.assertEqual([file.path for file in self.files.listed()], [self.prefix + "/d/f", self.prefix + "/f"])

    def test_directories_are_made(self):
        for name in ("a/f", "b/f"):
            with open(self.files.route(name), "w") as file:
                file.write(name)
        self.assertTrue(os.path.isfile(self.cache + "/1/f"))

    def test_what_leads_out_or_is_no_file_is_refused_and_changes_nothing(self):
        os.symlink(self.base, "out")
        os.symlink(self.base + "/secret", "loose")
        os.mkdir("d")
        for name, kind in [
            ("../f", scr.OutsidePrefixError), ("/etc/passwd", scr.OutsidePrefixError),
            ("a/../../f", scr.OutsidePrefixError), ("out/f", scr.OutsidePrefixError),
            ("loose", scr.OutsidePrefixError), (self.prefix + "x/f", scr.OutsidePrefixError),
            ("", scr.BadRequestError), (".", scr.BadRequestError), ("a/", scr.BadRequestError),
            ("a/..", scr.BadRequestError), ("d", scr.BadRequestError), (".scr/f", scr.BadRequestError),
            ("a\0b", scr.BadRequestError),
            ("a\udcff", scr.BadRequestError), ("a\udcff/b", scr.BadRequestError),
            ("//none/f", scr.OutsidePrefixError), ("x/" * 3000 + "f", scr.BadRequestError),
            ("x" * 256, scr.BadRequestError), ("/".join(["x" * 200] * 6), scr.BadRequestError),
        ]:  # fmt: skip
            with self.subTest(name=name), self.assertRaises(kind):
                self.files.route(name)
        self.assertEqual(self.files.listed(), [])

    def test_where_it_cannot_be_said_whether_a_name_is_inside_it_is_refused_with_the_cause(self):
        os.mkdir("closed", 0)
        self.addCleanup(os.rmdir, self.prefix + "/closed")
        os.symlink("closed/deep", "linkclosed")
        os.symlink("loop", "loop")
        os.symlink("none", "dangling")
        os.chmod(self.base, 0o711)
        if os.geteuid() == 0:  # who may enter any
            self.addCleanup(os.seteuid, 0)
            os.seteuid(54321)
        for name in "closed/deep/x", "linkclosed/x", "linkclosed":
            with self.subTest(name=name), self.assertRaisesRegex(scr.InputOutputError, f"'{name}'.*Permission denied"):
                self.files.route(name)
        for name, why in ("loop/x", "symbolic links"), ("dangling", "No such file"), ("dangling/x", "No such file"):
            with self.subTest(name=name), self.assertRaisesRegex(scr.OutsidePrefixError, f"'{name}' goes.*{why}"):
                self.files.route(name)
        self.assertEqual(self.files.listed(), [])

    def test_below_the_root_everything_is_inside(self):
        files = OutputFiles("/", self.cache)
        files.route("/no-such-directory/deep/f")
        files.route("/no-such-file")
        self.assertEqual([file.path for file in files.listed()], ["/no-such-directory/deep/f", "/no-such-file"])

    def test_a_name_that_goes_through_a_file_is_refused(self):
        open("file", "w").close()
        os.symlink("file", "link")
        for name in "file/x", "file/x/y", "link/x":
            with self.subTest(name=name), self.assertRaisesRegex(scr.BadRequestError, "goes through a file"):
                self.files.route(name)

    def test_what_complete_output_could_not_list_is_refused(self):
        with unittest.mock.patch("scr._placing.MAX_LIST_BYTES", 1000):
            with self.assertRaisesRegex(scr.BadRequestError, "one file too many"):
                for i in range(100):
                    self.files.route(f"{i}/f")
            self.assertLess(len(json.dumps([file._asdict() for file in self.files.listed()])), 1000)
            self.assertGreater(len(self.files.listed()), 3)

    def test_no_working_directory_is_needed_for_an_absolute_name(self):
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
        self.assertEqual(self.files.route(self.prefix + "/f"), self.cache + "/f")
        with self.assertRaises(OSError):
            self.files.route("f")

    def test_two_thousand_files_cost_no_more_each_than_ten(self):
        for i in range(2000):
            self.files.route(f"{i}/f")
        self.assertEqual(self.files.listed()[1999], NamedFile(self.prefix + "/1999/f", "1999/f"))


class RestartFilesTest(unittest.TestCase):
    def setUp(self):
        self.prefix = os.path.realpath(tempfile.mkdtemp(prefix="scr"))
        self.addCleanup(shutil.rmtree, self.prefix)
        self.files = RestartFiles(
            self.prefix, "/cache/rank.0",
            [NamedFile("x/same", "same"), NamedFile("y/same", "1/same"), NamedFile("x/only", "only")], "dataset 1 'd'",
        )  # fmt: skip

    def test_a_path_or_a_base_name_that_one_file_has_is_enough(self):
        self.assertEqual(self.files.route(self.prefix + "/y/same"), "/cache/rank.0/1/same")
        self.assertEqual(self.files.route(self.prefix + "/x/../x/same"), "/cache/rank.0/same")
        self.assertEqual(self.files.route("only"), "/cache/rank.0/only")
        self.assertEqual(self.files.route("/elsewhere/only"), "/cache/rank.0/only")

    def test_what_is_not_there_or_ambiguous_is_refused_with_what_there_is(self):
        with self.assertRaisesRegex(scr.NoSuchFileError, "ambiguous, give one of the paths x/same, y/same"):
            self.files.route("same")
        with self.assertRaisesRegex(scr.NoSuchFileError, "'none' of dataset 1 'd': .*x/same, y/same, x/only"):
            self.files.route("none")
        with self.assertRaisesRegex(scr.NoSuchFileError, "it wrote none"):
            RestartFiles(self.prefix, "/cache", [], "dataset 1").route("f")


if __name__ == "__main__":
    unittest.main()
