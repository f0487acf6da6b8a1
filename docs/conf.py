"""The site: ``sphinx-build -W --keep-going docs build/site``."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.logging import getLogger

sys.path.insert(0, str(Path(__file__).parent))

from conventions_page import conventions_page
from measure_pages import write_measure_pages
from reference_pages import write_reference_pages

import skgraded

project = "skgraded"
author = "skgraded developers"
copyright = "skgraded developers"
release = skgraded.__version__
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["build", "gallery/*.ipynb", "**sg_execution_times.rst"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
# The gallery's settings hold functions, and its sections name files.
suppress_warnings = ["config.cache", "sphinx_gallery.config"]

autosummary_generate = False  # the page of a module shows all that it has
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_score_request, set_split_request",
}
autodoc_typehints = "none"  # the docstrings state types and shapes
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
default_role = "code"
numpydoc_show_class_members = False  # the methods follow their class
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "skgraded"
html_static_path = ["_static"]
html_css_files = ["skgraded.css"]
html_js_files = ["cards.js"]
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "header_links_before_dropdown": 6,  # with the tables for users of other libraries
    "navigation_with_keys": False,
    "navigation_depth": 2,  # pages on the left, what a page holds on the right
    "icon_links": [
        {
            "name": "GitHub",
            "url": "https://github.com/skgraded/skgraded",
            "icon": "fa-brands fa-github",
        }
    ],
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Pages that are no part of a section would have a sidebar without an entry.
html_sidebars = {
    page: []
    for page in [
        "gallery/index",
        *(each.stem for each in Path(__file__).parent.glob("*.md")),
    ]
}
html_context = {"default_mode": "auto"}

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    # The engines' examples start clusters of their own: they are shown, but not run here.
    "filename_pattern": r"/(?!dask_|spark_)[^/]*\.py$",
    "ignore_pattern": r"study_collection\.py",
    "copyfile_regex": r"index\.rst",  # the gallery's sections
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 1_000_000,
    "matplotlib_animations": False,
}


def setup(app):
    """Write the pages that are made of the package before Sphinx reads the folder."""
    (Path(__file__).parent / "conventions.md").write_text(
        conventions_page(), encoding="utf-8"
    )
    write_measure_pages(Path(__file__).parent / "measures")
    write_reference_pages(Path(__file__).parent / "reference")
    app.connect("doctree-read", _warn_of_lost_initials)


def _warn_of_lost_initials(app, doctree):
    """Warn of references of one line: an initial at their start is read as the item of a list."""
    for each in doctree.findall(nodes.enumerated_list):
        if each["enumtype"] == "upperalpha":
            getLogger(__name__).warning(
                "Break the line after the title.", location=each
            )
