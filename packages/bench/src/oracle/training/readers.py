"""Opens exports of training data with the code of their readers: reads a JSON object per line, and prints the examples that the reader has as one line."""

import __future__

import ast
import contextlib
import functools
import gzip
import importlib
import json
import os
import re
import sys
import tempfile
import types
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

THOUGHT = re.compile(r"^<think>\n(.*?)\n</think>\n\n?", re.DOTALL)
CALL = re.compile(r"\n?<tool_call>(.*?)</tool_call>", re.DOTALL)
RESULT = re.compile(r"^<tool_response>\n(.*)\n</tool_response>$", re.DOTALL)
TEMPLATES = ["qwen2_5", "qwen3", "qwen3_5_think", "nemotron_3_nano", "glm4moe"]


def load(job):
    """The rows as the library datasets has them, by split: a folder is opened as a whole."""
    import datasets

    datasets.disable_progress_bars()
    [file, *_] = [one["path"] for one in job["files"]]
    if job["isFolder"]:
        return dict(datasets.load_dataset(str(Path(file).parent)))
    return {"train": datasets.load_dataset("json", data_files=file, split="train")}


def opened(path):
    """The text of a file, which may be compressed."""
    if path.endswith(".gz"):
        return gzip.decompress(Path(path).read_bytes()).decode()
    if path.endswith(".zst"):
        import zstandard

        with zstandard.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    return Path(path).read_text(encoding="utf-8")


def lines(job):
    """The rows by split, for readers that take lines of JSON."""
    found = {}
    for one in job["files"]:
        # Some texts have characters that end a line for str.splitlines.
        rows = [json.loads(line) for line in opened(one["path"]).removesuffix("\n").split("\n")]
        found[one["split"]] = found.get(one["split"], []) + rows
    return found


def code_of(file, name, given):
    """A function or method of a file whose other parts load torch."""
    tree = ast.parse(file.read_text())
    [found] = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    module = ast.Module(body=[found], type_ignores=[])
    known = dict(given)
    exec(compile(module, str(file), "exec", flags=__future__.annotations.compiler_flag), known)
    return known[name]


def message(role, content, reasoning=None, calls=()):
    parts = [{"type": "text", "text": content or ""}] if isinstance(content, str) or content is None else content
    images = [image_of(part) for part in parts if "text" not in part["type"]]
    text = "".join(part["text"] for part in parts if "text" in part["type"])
    return {"role": role, "text": text, "reasoning": reasoning or "", "calls": list(calls), "images": images}


def image_of(part):
    """The address of an image, in the forms of OpenAI and of ATIF."""
    if "source" in part:
        assert part["source"]["media_type"] == "image/png", part
        return part["source"]["path"]
    return part["image_url"]["url"] if isinstance(part["image_url"], dict) else part["image_url"]


def tools_in(tools):
    listed = json.loads(tools) if isinstance(tools, str) and tools else tools
    functions = [tool.get("function") or tool for tool in listed or []]
    return [{part: one[part] for part in ("name", "description", "parameters")} for one in functions]


def arguments(value):
    return json.loads(value) if isinstance(value, str) else value


def openai_message(one):
    """A message of OpenAI's or of TRL's form."""
    calls = [[call["function"]["name"], arguments(call["function"]["arguments"])] for call in one.get("tool_calls") or []]
    return message(one["role"], one.get("content"), one.get("reasoning_content"), calls)


def text_message(one):
    """A message that has its reasoning and calls in its text."""
    role, text = one["role"], one["content"]
    if role == "tool":
        return message(role, RESULT.match(text).group(1))
    thought = THOUGHT.match(text) if role == "assistant" else None
    rest = text[thought.end() :] if thought else text
    found = CALL.findall(rest) if role == "assistant" else []
    calls = [json.loads(call) for call in found]
    said = CALL.sub("", rest) if role == "assistant" else rest
    return message(role, said, thought and thought.group(1), [[call["name"], call["arguments"]] for call in calls])


def tokenizer():
    """A tokenizer that needs no download: its tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE({letter: index for index, letter in enumerate(letters)}, []))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytewise.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=bytewise, clean_up_tokenization_spaces=False)


def template(name):
    return (Path(find_spec("trl").origin).parent / "chat_templates" / f"{name}.jinja").read_text()


def texts_in(one):
    """The texts of a message that a template must show; reasoning and calls within a text are taken apart by some."""
    calls = [call["function"]["name"] for call in one.get("tool_calls") or []]
    inside = "<think>" in one["content"] or "<tool_call>" in one["content"]
    return [] if inside else [one["content"].strip(), *calls]


def shows(text, whole):
    """Whether a template shows a text, as it is or in JSON."""
    return any(form in whole for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]))


def render(rows):
    """Renders the rows with chat templates of TRL; each text and each name of a call must be in the result."""
    from trl.data_utils import apply_chat_template, is_conversational, maybe_apply_chat_template

    speaker = tokenizer()
    for name in TEMPLATES:
        speaker.chat_template = template(name)
        for index, row in enumerate(rows):
            assert is_conversational(row), f"row {index}: not conversational"
            tools = json.loads(row["tools"]) if row.get("tools") else None
            asked = {key: row[key] for key in ("messages", "prompt", "chosen", "rejected", "chat_template_kwargs") if key in row}
            rendered = apply_chat_template(asked, speaker, tools=tools)
            assert maybe_apply_chat_template(asked, speaker, tools=tools) == rendered
            for part in ("messages", "prompt", "chosen", "rejected"):
                whole = rendered.get({"messages": "text"}.get(part, part), "")
                for text in [text for one in row.get(part, []) for text in texts_in(one)]:
                    assert shows(text, whole), f"row {index}, template {name}, {part}: without {text[:80]!r}"


def prepare(dataset, trainer, own):
    """Prepares rows for training with the code of a trainer of TRL."""
    import logging

    from datasets import Dataset, IterableDataset
    from trl import data_utils

    logger = logging.getLogger("trl")
    logger.warning_once = logger.warning
    given = {**vars(data_utils), "json": json, "logger": logger, "Dataset": Dataset, "IterableDataset": IterableDataset}
    given["global_then_local_main_first"] = contextlib.nullcontext
    file = Path(find_spec("trl").origin).parent / "trainer" / f"{trainer}_trainer.py"
    args = {"dataset_num_proc": None, "max_length": None, "dataset_text_field": "text", "assistant_only_loss": True, "shuffle_dataset": False}
    more = {"sft": (False, None, "train"), "dpo": ("train",)}[trainer]
    method = code_of(file, "_prepare_dataset", given)
    prepared = method(types.SimpleNamespace(**own), dataset, own["_tokenizer"], types.SimpleNamespace(**args), *more)
    assert len(prepared) == len(dataset), f"{trainer}: {len(prepared)} of {len(dataset)} rows are prepared"
    return prepared


def train_on(dataset, name="qwen2_5_training"):
    """SFTTrainer's rows: the loss is that of all texts of the assistant, and of no other."""
    speaker = tokenizer()
    own = {"_tokenizer": speaker, "chat_template": template(name), "completion_only_loss": False}
    prepared = prepare(dataset, "sft", own)
    for index, (row, made) in enumerate(zip(dataset, prepared)):
        spans, learned = [], []
        for token, label in zip(made["input_ids"], made["labels"]):
            if label != -100:
                learned.append(token)
            elif learned:
                spans.append(speaker.decode(learned))
                learned = []
        spans += [speaker.decode(learned)] if learned else []
        said = [one for one in row["messages"] if one["role"] == "assistant"]
        assert len(spans) == len(said), f"row {index}: the loss has {len(spans)} messages of {len(said)}"
        for span, one in zip(spans, said):
            assert one["content"].strip() in span, f"row {index}: the loss lacks {one['content'][:80]!r}"
            for call in one.get("tool_calls") or []:
                name = call["function"]["name"]
                assert shows(name, span), f"row {index}: the loss lacks a call of {name!r}"


def prefer(dataset, name="qwen2_5"):
    """DPOTrainer's rows: both answers go on with the whole prompt."""
    speaker = tokenizer()
    speaker.chat_template = template(name)
    for index, (row, made) in enumerate(zip(dataset, prepare(dataset, "dpo", {"_tokenizer": speaker}))):
        for part in ("chosen", "rejected"):
            [text] = [one["content"] for one in row[part]][-1:]
            assert text.strip() in speaker.decode(made[f"{part}_ids"]), f"row {index}: {part} lacks {text[:80]!r}"
        asked = speaker.decode(made["prompt_ids"])
        assert all(one["content"].strip() in asked for one in row["prompt"]), f"row {index}: the prompt is cut"


def parts_of(row, *parts):
    """An example from the lists of messages of a row, and its tools."""
    return {"tools": tools_in(row.get("tools")), **{part: [openai_message(one) for one in row[part]] for part in parts}}


def trl_sft(dataset):
    rows = list(dataset)
    render(rows)
    train_on(dataset)
    return [parts_of(row, "messages") for row in rows]


def trl_preference(dataset):
    rows = list(dataset)
    render(rows)
    prefer(dataset)
    return [parts_of(row, "prompt", "chosen", "rejected") for row in rows]


def smoltalk2(dataset):
    rows = list(dataset)
    members = {"custom_instructions", "enable_thinking", "python_tools", "xml_tools"}
    assert all(set(row["chat_template_kwargs"]) == members for row in rows)
    assert all(set(one) == {"role", "content"} for row in rows for one in row["messages"])
    render(rows)
    train_on(dataset)
    examples = []
    for row in rows:
        given = row["chat_template_kwargs"]
        system = [message("system", given["custom_instructions"])] if given["custom_instructions"] else []
        tools = tools_in([json.loads(tool) for tool in given["xml_tools"]])
        examples.append({"messages": system + [text_message(one) for one in row["messages"]], "tools": tools})
    return examples


def chat_jsonl(rows):
    for row in rows:
        checked_by_openai(row["messages"], row.get("tools"), {"reasoning_content"})
    return [parts_of(row, "messages") for row in rows]


@functools.cache
def llama_factory():
    """The modules of LLaMA-Factory that read datasets, without those that load torch: these give constants only."""
    root = Path(find_spec("llamafactory").origin).parent
    for name in ("llamafactory", "llamafactory.data", "llamafactory.extras"):
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    misc = types.ModuleType("llamafactory.extras.misc")
    misc.use_modelscope = misc.use_openmind = lambda: False
    sys.modules["llamafactory.extras.misc"] = misc
    peft = types.ModuleType("peft.utils")
    peft.SAFETENSORS_WEIGHTS_NAME = peft.WEIGHTS_NAME = ""
    sys.modules["peft"], sys.modules["peft.utils"] = types.ModuleType("peft"), peft
    return *(importlib.import_module(f"llamafactory.data.{name}") for name in ("parser", "converter", "formatter")), root


def with_llama_factory(job):
    """The rows as LLaMA-Factory's loader has them. It opens files that are not compressed, and all files of a folder."""
    parser, converter, _, root = llama_factory()
    import datasets

    datasets.disable_progress_bars()
    constants = importlib.import_module("llamafactory.extras.constants")
    quiet = types.SimpleNamespace(info_rank0=lambda text: None)
    given = {"os": os, "logger": quiet, "FILEEXT2TYPE": constants.FILEEXT2TYPE, "load_dataset": datasets.load_dataset, "align_dataset": converter.align_dataset}
    load_one = code_of(root / "data" / "loader.py", "_load_single_dataset", given)
    columns = {"messages": "conversations", "system": "system", "tools": "tools"}
    is_sharded = any("-of-" in one["path"] for one in job["files"])
    named = {"all": str(Path(job["files"][0]["path"]).parent)} if is_sharded else {one["split"]: one["path"] for one in job["files"]}
    found = {}
    for split, path in named.items():
        folder, name = os.path.split(plain_copy(path))
        [declared] = parser.get_dataset_list([split], {split: {"file_name": name, "formatting": "sharegpt", "columns": columns}})
        model = types.SimpleNamespace(cache_dir=None, hf_hub_token=None)
        data = types.SimpleNamespace(dataset_dir=folder, media_dir=folder, preprocessing_num_workers=None, streaming=False, max_samples=None, overwrite_cache=False)
        found[split] = load_one(declared, model, data, types.SimpleNamespace(local_process_index=0))
    return found


def plain_copy(path):
    """A file or a folder, or a copy without compression."""
    files = sorted(Path(path).iterdir()) if Path(path).is_dir() else [Path(path)]
    if all(file.suffix == ".jsonl" for file in files):
        return path
    target = Path(tempfile.mkdtemp(dir=files[0].parent))
    for file in files:
        (target / file.stem).write_text(opened(str(file)))
    return str(target if Path(path).is_dir() else target / files[0].stem)


def calls_in(formed):
    """The calls of a text whose names and arguments may have the marks of calls."""
    decoder, calls, at = json.JSONDecoder(), [], 0
    while (at := formed.find("<tool_call>", at)) >= 0:
        start = formed.index("{", at)
        call, at = decoder.raw_decode(formed, start)
        calls.append(call)
    return calls


def sharegpt(rows):
    _, _, formatter, _ = llama_factory()
    functions = formatter.FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
    described = formatter.ToolFormatter(tool_format="default")
    examples = []
    for converted in rows:
        messages = [message("system", converted["_system"])] if converted["_system"] else []
        expected = 0
        for one in converted["_prompt"] + converted["_response"]:
            role, text = one["role"], one["content"]
            thought = THOUGHT.match(text) if role in ("assistant", "function") else None
            reasoning = thought and thought.group(1)
            rest = text[thought.end() :] if thought else text
            if role == "function":
                [formed] = functions.apply(content=text, thought_words=("<think>\n", "\n</think>\n\n"), tool_call_words=("<tool_call>", "</tool_call>"))
                calls = calls_in(formed)
                expected = len(calls)
                messages.append(message("assistant", "", reasoning, [[call["name"], call["arguments"]] for call in calls]))
            elif role == "observation":
                results = json.loads(text) if expected > 1 else [text]
                messages += [message("tool", result) for result in results]
            else:
                messages.append(message(role, rest, reasoning))
        if converted["_tools"]:
            described.apply(content=converted["_tools"])
        examples.append({"messages": messages, "tools": tools_in(converted["_tools"])})
    return examples


def checked_by_openai(messages, tools, more=frozenset()):
    """Checks messages and tools with the types of OpenAI's package, which have no place for other members."""
    from openai.types import chat
    from pydantic import TypeAdapter

    TypeAdapter(list[chat.ChatCompletionMessageParam]).validate_python(messages)
    TypeAdapter(list[chat.ChatCompletionToolParam]).validate_python(tools or [])
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "weight"} | more
    for index, one in enumerate(messages):
        assert set(one) <= known, f"unknown members {set(one) - known}"
        answered = {other["tool_call_id"] for other in messages[index:] if other["role"] == "tool"}
        assert all(call["id"] in answered for call in one.get("tool_calls") or []), "a call without a result"
    assert tools != [], "empty tools"


def preference_jsonl(rows):
    for row in rows:
        for part in ("prompt", "chosen", "rejected"):
            checked_by_openai(row[part], row.get("tools"), {"reasoning_content"})
    return [parts_of(row, "prompt", "chosen", "rejected") for row in rows]


def openai_ft(rows):
    for row in rows:
        checked_by_openai(row["messages"], row.get("tools"))
        assert set(row) <= {"messages", "tools", "parallel_tool_calls"}
        assert row["messages"][-1]["role"] == "assistant"
    return [parts_of(row, "messages") for row in rows]


def openai_preference(rows):
    examples = []
    for row in rows:
        assert set(row) == {"input", "preferred_output", "non_preferred_output"}
        parts = {"prompt": row["input"]["messages"], "chosen": row["preferred_output"], "rejected": row["non_preferred_output"]}
        for part in parts.values():
            checked_by_openai(part, row["input"].get("tools"))
        said = {part: [openai_message(one) for one in messages] for part, messages in parts.items()}
        examples.append({**said, "tools": tools_in(row["input"].get("tools"))})
    return examples


def nemo_gym(rows):
    from nemo_gym.base_resources_server import BaseRunRequest
    from nemo_gym.responses_converter import ResponsesConverter

    converter = ResponsesConverter(return_token_id_information=False)
    examples = []
    for row in rows:
        request = BaseRunRequest.model_validate(row)
        asked = converter.responses_to_chat_completion_create_params(request.responses_create_params)
        said = [one if isinstance(one, dict) else one.model_dump() for one in json.loads(asked.model_dump_json())["messages"]]
        prompt = [openai_message(one) for one in said]
        tools = tools_in(row["responses_create_params"].get("tools"))
        info = {name: value for name, value in row.items() if name not in ("responses_create_params", "expected_answer")}
        examples.append({"prompt": prompt, "answer": row.get("expected_answer"), "tools": tools, "info": info})
    return examples


def verifiers(rows):
    from verifiers.v1.task import WireTaskData
    from verifiers.v1.types import Tool

    examples = []
    for row in rows:
        task = WireTaskData.model_validate(row)
        info = json.loads(task.info)
        offered = tools_in([Tool.model_validate(tool).model_dump() for tool in info.pop("tool_defs", [])])
        prompt = []
        for one in task.prompt:
            calls = [[call.name, json.loads(call.arguments)] for call in getattr(one, "tool_calls", None) or []]
            prompt.append(message(one.role, one.content, getattr(one, "reasoning_content", None), calls))
        examples.append({"prompt": prompt, "answer": task.answer, "tools": offered, "info": info})
    return examples


def atif(rows):
    from atif import Trajectory

    examples = []
    for row in rows:
        trajectory = Trajectory.model_validate(row)
        messages = []
        for step in trajectory.steps:
            role = {"agent": "assistant"}.get(step.source, step.source)
            calls = [[call.function_name, call.arguments] for call in step.tool_calls or []]
            said = step.message if isinstance(step.message, str) else [part.model_dump() for part in step.message]
            messages.append(message(role, said, step.reasoning_content, calls))
            messages += [message("tool", result.content) for result in (step.observation.results if step.observation else [])]
        examples.append({"messages": messages, "tools": tools_in(trajectory.agent.tool_definitions)})
    return examples


READERS = {
    "trl-sft": (load, trl_sft, ["trl", "datasets"]),
    "trl-preference": (load, trl_preference, ["trl", "datasets"]),
    "sharegpt": (with_llama_factory, sharegpt, ["llamafactory", "datasets"]),
    "openai-ft": (lines, openai_ft, ["openai"]),
    "openai-preference": (lines, openai_preference, ["openai"]),
    "smoltalk2": (load, smoltalk2, ["trl", "datasets"]),
    "nemo-gym": (lines, nemo_gym, ["nemo-gym"]),
    "verifiers": (load, verifiers, ["verifiers", "datasets"]),
    "atif": (lines, atif, ["atif"]),
    "preference-jsonl": (lines, preference_jsonl, ["openai"]),
    "chat-jsonl": (lines, chat_jsonl, ["openai"]),
}

for line in sys.stdin:
    job = json.loads(line)
    opening, read, packages = READERS[job["format"]]
    try:
        named = ", ".join(f"{package} {version(package)}" for package in packages)
        parts = {split: read(rows) for split, rows in opening(job).items()}
        print("RESULT " + json.dumps({"reader": named, "parts": parts}), flush=True)
    except Exception as failure:
        print("RESULT " + json.dumps({"failure": f"{type(failure).__name__}: {str(failure)[:600]}"}), flush=True)
