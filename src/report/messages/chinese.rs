//! Simplified Chinese, in the terms of the field: 显存, 张量并行, 流水线并行, 上下文并行, 专家并行, 重计算, 微批次.

use super::table::{Words, phrases, rows};

pub(super) const WORDS: Words = Words {
    nearest: "是不是想写 {}？",
    use_dimensions: "使用 {} 的维度（按相同结构推断）",
    belongs_to: "应写在 {}",
    state: "请写明 {}",
    use_value: "改为 {}",
    of_config: "config.json 的 {}",
    of_execution: "执行配置的 {}",
    no_key: "该值",
    more: " 等另外 {} 项",
    comma: "、",
    or: " 或 ",
};

rows! {
    // The text.
    YamlSyntax "应为训练器可读取的 YAML，问题在于{0:phrase}[：{1}]" => "修正此处文本；其后的内容未被读取";
    DocumentTooLarge "文本最多 {1} 字节，实际为 {0} 字节" => "删去与运行配置无关的内容";
    DocumentTooDeep "嵌套最多 {0} 层，实际更深" => "改为平铺书写";
    DocumentExpands "别名展开后最多 {0} 个值，实际更多" => "改为平铺书写";
    RootNotMapping "应为由键和值组成的各个配置段，实际为{0:phrase}" => "请给出完整文件，从第一个键开始";
    KeyNotText "键应为文本，实际为 {0}[，训练器将其读作{1:phrase}]" => "请给键加上引号";
    JsonSyntax "应为 JSON，问题在于{0:phrase}[：{1}]" => "修正此处文本；其后的内容未被读取";
    InputMindformers "应为 HyperParallel 的 train.yaml，实际为 MindFormers 文件（含有 {0}）"
        => "请给出 HyperParallel 的 train.yaml，或从示例开始";
    InputSearch "应为单次运行的 train.yaml，实际为并行策略搜索文件（含有 {0}）"
        => "请给出 HyperParallel 的 train.yaml，或从示例开始";

    // The model.
    ModelUnstated "应写明模型的名称或维度，实际两者都没有"
        => "在 `model.pretrained_model_name_or_path` 中写明名称，在 `model.config_overrides` 中写明维度，从模型目录中选择，或给出其 config.json";
    HfConfigUnresolved "应为模型目录中的模型或已写明的维度，实际为 {0}，不在目录中"
        => "从模型目录中选择，给出其 config.json，或在 `model.config_overrides` 中写明维度";
    ModelUnknown "应为模型目录中的模型 id，实际为 {0}" => "如有其 config.json，可改为给出该文件";
    SpecUnknownKey "`model.config_overrides` 中应为模型维度，实际有未知的键 {0}"
        => "使用 config.json 中的名称，例如 `hidden_size`";
    SpecRequiredMissing "模型应写明 {0}，实际没有" => "在 `model.config_overrides` 中写明，或给出模型的 config.json";
    SpecRequiredNonpositive "{key} 应至少为 1，实际为 {1}" => "请写明模型自身的值";
    SpecNotInteger "{key} 应为整数，实际为 {1}" => "请完整写出数字：4096，而不是 4k 或 4e3";
    SpecFlagNotBool "{key} 应为 true 或 false，实际为 {1}" => "请写 true 或 false，不加引号";
    SpecKvHeads "键值头数应能整除 {1} 个注意力头，实际为 {0}" => "[改为 {near}，或]写明模型自身的值";
    SpecExpertWidth "应写明 {0} 个专家的中间维度，实际 `moe_intermediate_size` 与 `intermediate_size` 都没有"
        => "请写明 `moe_intermediate_size`";
    SpecSharedWidth "应写明 {0} 个共享专家的中间维度，实际没有任何前馈维度"
        => "请写明 `shared_expert_intermediate_size` 或 `moe_intermediate_size`";
    SpecUnknownArch "{key} 应为已知的模型族，实际为 {0}" => "可选：{1}";
    SpecOpsForm "{key} 应为统计各算子数量的配置段，实际为 {0}" => "为每种层写一个配置段，写明每个算子的数量";
    SpecOpsKinds "应为层类型 {1} 的算子数量，实际为 {0}" => "请写出且只写出该模型族的层类型";
    SpecOpsMissing "{key} 应写明每个算子的数量，实际缺少 {1}" => "该层没有的算子请写 0";
    SpecOpsUnknown "{key} 中应只有已知的算子，实际有 {1}"
        => "可用 attMM、attBMM、ffMM、softmax、dropout、normOp、gather、headCast、ffAct、linrec";
    SpecActivationsForm "{key} 应为每词元的实测字节数[，实际为 {0}]"
        => "为模型的层类型写明 `saved`、`saved_tp`、`working`、`working_tp`，均为不小于 0 的数；`selective` 与 `selective_tp` 须同时写或都不写";
    SpecLayersForm "{key} 中每组层应含 `kind`（文本）、`count`（从 1 起）和 `mtp`（true 或 false），实际为 {0}"
        => "请为每组写明 `kind` 和 `count`";
    SpecLayersZero "{key} 应至少为 1，实际为 0" => "请删去没有层的分组";
    SpecLayersKind "层类型应为模型族 {1} 的 {2}，实际为 {0}" => "改用这些类型，或另写 `arch`";
    SpecLayersOrder "多词元预测层应排在最后，实际 {key} 中其后还有主干层" => "将 `mtp: true` 的分组移到末尾";
    SpecLayersBodyCount "{key} 应列出模型的 {1} 个主干层，实际为 {0}" => "各组数量之和应等于 `num_hidden_layers`";
    SpecLayersMtpCount "{key} 应列出模型的 {1} 个多词元预测层，实际为 {0}"
        => "`mtp: true` 各组数量之和应等于 `mtp_depth`";
    SpecLayerTypesShort "{key} 应为 {1} 层各写一个类型，实际为 {0}" => "为每层写明类型，或删去该列表";
    SpecLayerTypesForm "{key} 应为文本列表，实际为 {0}" => "为每层写明类型，或删去该列表";
    SpecLinearMissing "线性注意力的五个维度应全部写明或全部不写，实际缺少 {0}"
        => "请在 `model.config_overrides` 中补齐";
    SpecLinearUnstated "应写明线性注意力层的五个维度，实际一个也没有" => "请在 `model.config_overrides` 中写明 {0}";
    SpecEncoderDecoderOdd "层数应为偶数（编码器与解码器各半），实际为 {0}" => "请写明编码器与解码器的总层数";
    VisionMissing "视觉塔应写明 {0}，实际没有" => "在 `model.config_overrides.vision` 中写明，或给出模型的 config.json";
    VisionInvalid "视觉塔应为由维度组成的配置段，实际为 {0}" => "请在 `model.config_overrides.vision` 中写明其维度";

    // The run.
    DeviceNumIndivisible "设备数应能被 TP·PP·CP = {2} 整除，实际为 {1}（{0:phrase}）"
        => "[改为 {near} 个设备，或]调整 TP、PP、CP 之一";
    ExpertShardRule "{key} 应为 `group` 或不写，实际为 {1}" => "请写 `group`";
    AcModeUnknown "{key} 应为 off、selective 或 full，实际为 {1}" => "请写 off、selective 或 full";
    AcModeNotSingle "{key} 应为单一的重计算模式，实际为 {1}" => "请写 off、selective 或 full";
    MoeDispatchNegative "{key} 应至少为 0，实际为 {1}" => "可以删去：它只影响时间，不影响显存";
    MemoryFormat "{key} 应为显存大小，例如 64GB，实际为 {1}" => "请写数字加 B、KB、MB 或 GB（二进制倍数）";
    NotInteger "{key} 应为整数，实际为 {1}" => "请完整写出数字：4096，而不是 4k 或 4e3";
    NotNumber "{key} 应为数字，实际为 {1}" => "请用数字书写；指数需带小数点和符号：1.0e-6";
    DegreeTooLarge "{key} 最大为 {2}，实际为 {1}" => "如此大的规模无法布置";
    ExpertLayout "DP {4}、TP {5}、CP {7}、EP {6} 容纳不下专家：专家组、专家 TP、专家中间维度、专家数应至少为 1，实际为 {0}、{1}、{2}、{3}"
        => "降低 EP 或专家 TP，直到 DP·TP·CP 能容纳";
    RecomputeRangePastEnd "{key} 应在模型的 {1} 层之内结束，实际到达第 {0} 层（从 0 计）" => "删去 `count` 即覆盖其余各层";
    SelectiveRuleUnknown "{key} 应为 hyperparallel 或 mindformers，实际为 {0}"
        => "除非运行遵循 MindFormers，请用 hyperparallel";
    MultimodalSelectiveSettings "视觉语言模型只应有一种选择性重计算设置，实际 {key} 写了 {0} 种"
        => "让所有选择性区间使用相同的 ops";
    RangeForm "{key} 应为含 first、count、option、ops 的重计算区间，实际为 {0}" => "请为每个区间写明 `first`、`count` 和 `option`";
    RangeUnknownKey "重计算区间中应为 first、count、option 或 ops，实际为 {0}" => "请删去";
    RangeOpsForm "{key} 应将算子对应到 keep 或 recompute，实际为 {0}" => "请在 `ops` 下写 `softmax: recompute`";
    RangeFirst "{key} 应为从 0 起的整数，实际为 {0}" => "层从 0 计，主干层在前，多词元预测层在后";
    RangeCount "{key} 应为从 1 起的整数，实际为 {0}" => "删去即覆盖其余各层";
    RangeOption "{key} 应为 none、full 或 selective，实际为 {0}" => "请写 none、full 或 selective";
    RangeOpsNotSelective "ops 只应写在选择性区间中，实际写在 {key}" => "写 `option: selective`，或删去 ops";
    RangeOpsUnknown "应为选择性重计算的算子，实际为 {0}"
        => "可用 attBMM、headCast、dropout、softmax、normOp、gather、ffAct、attUp";
    RangeOpState "{key} 应为 keep 或 recompute，实际为 {0}" => "请写 keep 或 recompute";
    RangesOverlap "{key} 应从第 {1} 层（前一区间的结尾）或之后开始，实际为第 {0} 层"
        => "按起始层排序，互不重叠";
    RangesOpenNotLast "只有最后一个区间可以不写数量，实际 {key} 没有写" => "写明其 `count`，或移到末尾";
    ExecUnknownKey "应为执行配置的名称，实际为 {0}" => "请删去";
    ExecKind "{key} 应为{1:phrase}，实际为 {2}" => "删去即沿用 train.yaml 的值";
    LayersNotPlaced "各流水线阶段应容纳模型的 {1} 层，实际为 {0} 层"
        => "各阶段平均层数加上 `offset`，总和应等于模型层数";
    LayoutTooLarge "层数与分块数（阶段数乘以 `pp_interleave_num`）应为 1 到 {1}，实际为 {0}"
        => "降低 PP 或 `pp_interleave_num`";
    StageListShort "应为 {0} 个流水线阶段各写重计算层数，实际列表更短" => "每个阶段写一个数（每个分块写一个列表）";
    ScheduleUnknown "应为参考实现支持的流水线调度，实际为 {0}"
        => "可用 1f1b、gpipe、seqpipe、seqsmartvpp、zero_bubble_v";
    PolicyUnknown "应为显存模型的策略，实际为 {0}" => "请删去";
    PolicyValueUnknown "应为策略 {1} 的取值，实际为 {0}" => "删去即用默认值";
    MemoryModelUnknown "显存模型应为 sapp_nd 或 fsdp2，实际为 {0}" => "请删去";
    MeasuredUnreadable "实测峰值应为 65.2GiB、70GB 或字节数，实际为 {0}"
        => "请写数字加 KiB、MiB、GiB、KB、MB 或 GB（此处 GB 为 10^9），或给出 docs/measure.py 打印的那一行";
    ShapesUnknown "模型的各个张量应为已知，实际为 {0}" => "改用显存模型 sapp_nd，它按维度估算";

    // Warnings of the reading (config-spec 13).
    FamilyDefault "模型名应以已知模型族的名称开头，实际为 {0}：按模型族 {1} 估算"
        => "如属其他模型族，请在 `model.config_overrides` 中写明 `arch`";
    LayerTypesUnknown "层类型应属于模型族 {1}，实际为 {0}：所有层按 {2} 估算"
        => "如有不同，请在 `model.config_overrides` 中写明 `layers`";
    ActivationsUnused "实测激活应属于层类型 {1}，实际写给 {0}，该模型没有这种层：未被使用"
        => "请写模型具有的层类型";
    LayerKindNearest "参考实现没有这些层的类型（从 0 计），按最接近的类型估算：{0:whole}" => "请在估算结果之外另行考虑其差异";
    HfConfigUnread "读不到所写模型的 config.json：只使用 `model.config_overrides` 中的维度"
        => "从模型目录中选择，或给出其 config.json";
    VisionGridMissing "视觉塔未写明位置网格：按每张图 {0} 个词元计" => "请写明 `context.visual_seq_len`";
    MtpUnpriced "训练器在此不构建多词元预测层：略去模型的 {0} 层" => "无需处理：运行不训练这些层";
    DeviceNumUnstated "未写明设备数：数据并行取分片数 {0}" => "请写明 `context.device_num`，或另行给出设备数";
    CpAlgoDefault "未写明上下文并行算法：按 colossalai_cp 计";
    OptimizerUnstated "未写明优化器：按 {0} 计" => "请写明 `optimizer._target_`";
    DtypeUnstated "未写明数据类型：按 bfloat16 计";
    UnreadPrecisionKey "此训练器不读取 {key}" => "请写明 `model.torch_dtype` 或 `fsdp_config.mix_precision.param_dtype`";
    SeqLenUnstated "未写明序列长度：取上限 {0} 个词元";
    ExpertDegreesClamped "DP {0}、TP {1}、EP {2}、专家 TP {3} 使 {4} 个专家的分组不足一个 rank<：按一个计>"
        => "降低 EP 或专家 TP，直到 DP·TP·CP 能容纳";
    NoCensus "要求使用实测激活，但读不到模型的 config.json：改用公式" => "从模型目录中选择，或给出其 config.json";

    // Our own warnings.
    DuplicateKey "{0} 在此配置段中重复出现[，首次在第 {1} 行]：以最后一个为准" => "请只保留一个";
    KeyMisspelled "{0} 不会被读取" => "请更正或删去";
    KeyMisplaced "{0} 在此配置段中不会被读取" => "请移到正确的位置";
    KeysUnreadMore "另有 {0} 个键疑似拼写或位置有误，第一个在此处" => "更正已列出的键后，其余会继续列出";
    MemoryUnitUnknown "{key} 的单位应为 B、KB、MB 或 GB，实际为 {1}：按字节计"
        => "请写数字加 B、KB、MB 或 GB（二进制倍数）";
    HeadsNotDivided "TP {0} 不能整除 {1} 个注意力头：<参考实现仍会估算，但实际运行会失败，因为>每个 rank 需要完整的头"
        => "TP 改为 {near}";
    KvHeadsNotDivided "TP {0} 不能整除 {1} 个键值头：<参考实现仍会估算，但实际运行会失败，因为>每个 rank 需要完整的键值头"
        => "TP 改为 {near}";
    VocabularyNotDivided "TP {0} 不能整除词表大小 {1}：<参考实现仍会估算，但实际运行会失败，因为>每个 rank 需要等份的词表"
        => "TP 改为 {near}，或补齐词表";
    ExpertsNotDivided "EP {0} 不能整除 {1} 个专家：<参考实现仍会估算，但实际运行会失败，因为>每个 rank 需要相同数量的完整专家"
        => "EP 改为 {near}";
    SequenceNotDivided "CP {0} 不能整除 {1} 个词元的序列：<参考实现仍会估算，但实际运行会失败，因为>每个 rank 需要等份的序列"
        => "CP 改为 {near}";
    ShardNotDividing "DP 分片 {0} 不能整除 DP {1}：<参考实现仍会估算，但实际运行会失败，因为>大小相同的分片组须覆盖所有 rank"
        => "DP 分片改为 {near}";
    ShardTimesReplicate "DP 分片 {0} 乘以 DP 副本 {1} 不等于 DP {2}：<参考实现仍会估算，但实际运行会失败，因为>分片与副本须正好构成全部数据并行 rank"
        => "使两者之积等于 {2}[：DP 分片改为 {near}]";
    OverrideUnread "已覆盖 {0}，但此处不会读取它：没有任何变化" => "请删去，或覆盖会被读取的键";
    ReferenceNegativeBuffer "参考实现在阶段 {0} 计得 {1:gib} 的缓冲区，实际运行占用 {2:gib}[：{3} 个微批次少于 {4} 个阶段]"
        => "微批次数应不少于流水线阶段数";

    // Notes.
    Fragment "应为完整的 train.yaml，实际只是其中一部分：没有模型名称，也没有维度" => "请选择它所属的模型";
    StagesEmpty "阶段 {0:whole}（从 0 计）没有任何层：{2} 层不足以分到全部 {1} 个阶段" => "流水线阶段数应不多于层数";
    KeyWithoutModel "{0} 会改变显存，但参考实现不读取" => "请在估算结果之外另行考虑";
}

phrases! {
    // What a value is.
    "null" => "空";
    "boolean" => "布尔值";
    "integer" => "整数";
    "float" => "数字";
    "text" => "单个文本";
    "date" => "日期";
    "list" => "列表";
    "section" => "配置段";
    // Where a device count comes from.
    "the pinned device count" => "已固定的设备数";
    // What a field of the execution spec takes.
    "a whole number from 0" => "从 0 起的整数";
    "a whole number from 1" => "从 1 起的整数";
    "true or false" => " true 或 false";
    "a text" => "文本";
    "a number above 0" => "大于 0 的数";
    "true, false, a count or a list of counts" => " true、false、层数或层数列表";
    "a number or a list of numbers" => "数字或数字列表";
    "a list of ranges" => "区间列表";
    "a memory size such as 64GB" => "显存大小，例如 64GB";
    // Why a text is refused.
    "a tab between tokens or in indentation" => "缩进或词之间的制表符";
    "a character that is not printable" => "不可打印的字符";
    "a byte-order mark" => "字节顺序标记";
    "a control character inside a text" => "文本中的控制字符";
    "a character that no value can begin with" => "不能作为值开头的字符";
    "indentation that fits no open section" => "与任何上级配置段都不对齐的缩进";
    "a `:` where no key can stand" => "不该出现键的位置上的 `:`";
    "a key without `:`" => "缺少 `:` 的键";
    "a `:` without a blank after it" => "后面没有空格的 `:`";
    "a `-` where no list item can stand" => "不该出现列表项的位置上的 `-`";
    "a `?` inside brackets" => "括号内的 `?`";
    "a bracket that is not closed" => "未闭合的括号";
    "a closing bracket that does not fit" => "不匹配的右括号";
    "no comma between two values in brackets" => "括号内两个值之间缺少逗号";
    "text right behind a closing quote" => "紧跟在右引号后的文本";
    "a quote that is not closed" => "未闭合的引号";
    "an unknown escape" => "未知的转义";
    "a block text with a wrong header or indentation" => "头部或缩进有误的块文本";
    "a comment inside a text of several lines" => "多行文本中的注释";
    "a malformed `%` line" => "格式有误的 `%` 行";
    "a YAML version other than 1" => "非 1 版本的 YAML";
    "a second document" => "第二个文档";
    "text behind the end of the document" => "文档结尾之后的文本";
    "an anchor name of other characters than letters, digits, `-` and `_`" => "含有字母、数字、`-`、`_` 以外字符的锚点名";
    "an anchor that is defined twice" => "重复定义的锚点";
    "an alias without its anchor" => "没有锚点的别名";
    "a merge of something that is no section" => "对非配置段的合并";
    "an unknown tag" => "未知的标签";
    "a malformed tag" => "格式有误的标签";
    "a tag that does not fit its value" => "与值不符的标签";
    "a list or section as a key" => "用作键的列表或配置段";
    "a bare `=` as a value" => "作为值的裸 `=`";
    "a bare `<<` as a value" => "作为值的裸 `<<`";
    "a date that does not exist" => "不存在的日期";
    "a number without digits" => "没有数字的数";
    "a number of too many digits" => "位数过多的数";
    "no value where one must stand" => "缺少值";
    "no quoted key where one must stand" => "缺少带引号的键";
    "no comma or closing bracket behind a value" => "值后缺少逗号或右括号";
    "text behind the value" => "值之后的文本";
    "something that is no YAML" => "不是 YAML 的内容";
}
