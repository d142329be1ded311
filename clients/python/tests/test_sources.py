"""Goal: the package is what its description says: for Python 3.9, of the standard library only, typed, documented."""

import ast
import importlib.util
import os
import subprocess
import sys
import unittest

# These are imported by programs that have PyTorch.
FOR_TORCH = {os.path.join("scr", name): {"torch", "numpy"} for name in ("torch.py", "_state.py", "dcp.py")}
CLIENT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def sources(*directories):
    for directory in directories:
        for name in sorted(os.listdir(os.path.join(CLIENT, directory))):
            if name.endswith(".py"):
                path = os.path.join(CLIENT, directory, name)
                with open(path, encoding="utf-8") as file:
                    yield os.path.join(directory, name), file.read()


def annotations(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            yield node.annotation
        elif isinstance(node, ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield node.returns


def public_functions(body):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


class SourcesTest(unittest.TestCase):
    def test_every_file_is_syntax_of_python_3_9(self):
        for name, text in sources("scr", "examples", "tests"):
            with self.subTest(name):
                ast.parse(text, name, feature_version=(3, 9))
        with self.assertRaises(SyntaxError):
            ast.parse("match 1:\n    case _: pass\n", feature_version=(3, 9))

    def test_no_annotation_is_one_that_only_later_versions_can_evaluate(self):
        for name, text in sources("scr", "examples"):
            for annotation in annotations(ast.parse(text)):
                later = [node for node in ast.walk(annotation) if isinstance(node, ast.BinOp)]  # X | Y: Python 3.10
                self.assertEqual(later, [], f"{name}:{annotation.lineno}")

    @unittest.skipIf(sys.version_info < (3, 10), "this Python does not know its own modules")
    def test_only_the_standard_library_is_imported(self):
        for name, text in sources("scr"):
            for node in ast.walk(ast.parse(text)):
                imported = []
                if isinstance(node, ast.Import):
                    imported = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    imported = [node.module]
                for module in {module.partition(".")[0] for module in imported} - FOR_TORCH.get(name, set()):
                    self.assertIn(module, sys.stdlib_module_names, f"{name}:{node.lineno}")

    def test_to_import_the_package_imports_none_of_others(self):
        program = "import sys, scr; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], cwd=CLIENT, check=False).returncode, 0)

    def test_every_function_that_is_not_private_has_types_and_a_sentence(self):
        self.assertTrue(os.path.exists(os.path.join(CLIENT, "scr", "py.typed")))
        found = 0
        for name, text in sources("scr"):
            for function in public_functions(ast.parse(text).body):
                found += 1
                with self.subTest(f"{name}: {function.name}"):
                    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
                    untyped = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
                    self.assertEqual(untyped, [])
                    self.assertIsNotNone(function.returns)
                    if name != os.path.join("scr", "_fields.py"):  # of which the names say all
                        self.assertIsNotNone(ast.get_docstring(function))
        self.assertGreater(found, 50)

    def test_the_type_checker_agrees(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest(f"mypy is not installed for {sys.executable}")
        checked = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull], cwd=CLIENT,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        self.assertEqual(checked.returncode, 0, checked.stdout)


if __name__ == "__main__":
    unittest.main()
