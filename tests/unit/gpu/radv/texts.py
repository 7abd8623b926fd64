"""A small program as Mesa prints it: a loop whose trips differ between lanes, and a branch.

As Mesa 22.3 was seen to, and the same in the form of Mesa 23 to 26, written by hand after
nir_print.c and aco_print_ir.cpp: no such Mesa was at hand.
"""

NIR = """\
shader: MESA_SHADER_FRAGMENT
inputs: 0
decl_var ubo INTERP_MODE_NONE ShadertoyInputs  (~0, 0, 0)
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec4 32 div ssa_0 = intrinsic load_frag_coord () ()
	vec1 32 con ssa_1 = load_const (0x00000000 = 0.000000)
	vec1 32 con ssa_2 = load_const (0x3f800000 = 1.000000)
	/* succs: block_1 */
	loop {
		block block_1:
		/* preds: block_0 block_4 */
		vec1 32 div ssa_3 = phi block_0: ssa_1, block_4: ssa_8
		vec1 32 div ssa_4 = phi block_0: ssa_2, block_4: ssa_3
		vec1  1 div ssa_5 = fge! ssa_3, ssa_0.y
		/* succs: block_2 block_3 */
		if ssa_5 {
			block block_2:
			/* preds: block_1 */
			break
			/* succs: block_5 */
		} else {
			block block_3:
			/* preds: block_1 */
			/* succs: block_4 */
		}
		block block_4:
		/* preds: block_3 */
		vec1 32 div ssa_8 = fadd ssa_3, ssa_2
		/* succs: block_1 */
	}
	block block_5:
	/* preds: block_2 */
	vec1 32 div ssa_9 = pack_half_2x16_split ssa_3, ssa_4
	vec2 32 div ssa_10 = vec2 ssa_9, ssa_9
	intrinsic store_output (ssa_10, ssa_1) (base=4, wrmask=xy /*3*/, component=0)	/* c */
	/* succs: block_6 */
	block block_6:
}
"""

LATER_NIR = """\
shader: MESA_SHADER_FRAGMENT
source_blake3: {0x1f2e3d4c, 0x00000000}
subgroup_size: 2
uses_sample_shading: true
inputs: 0
decl_var ubo INTERP_MODE_NONE none ShadertoyInputs (~0, 0, 0)
decl_function main () (entrypoint)

impl main {
    con block b0:    // preds:
    div 32x4   %0 = @load_frag_coord
    con 32     %1 = load_const (0x00000000 = 0.000000)
    con 32     %2 = load_const (0x3f800000 = 1.000000 = 1065353216)
                     // succs: b1
    div loop {
        con block b1:    // preds: b0 b4
        div 32     %3 = phi b0: %1 (0x0), b4: %8
        div 32     %4 = phi b0: %2 (1.000000), b4: %3
        // 0x1c0 shader.frag:5:21
        div  1     %5 = fge %3, %0.y // exact, preserve:sz,inf,nan
                         // succs: b2 b3
        if %5 {
            con block b2:// preds: b1
            break
            // succs: b5
        } else {
            con block b3:  // preds: b1, succs: b4
        }
        con block b4:    // preds: b3
        div 32     %8 = fadd %3, %2 (1.000000)
                         // succs: b1
    }
    con block b5:    // preds: b2
    div 32     %9 = pack_half_2x16_split %3, %4
    div 32x2  %10 = vec2 %9, %9
                     @store_output (%10, %1 (0x0)) (base=4, wrmask=xy, component=0)  // c
                     // succs: b6
    block b6:
}
"""

COSTS = """\
ACO shader stage: fragment_fs
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, loop-preheader, */
	(  2 clk)   v1 = v_mov_b32 0
BB1
/* logical preds: BB0, BB5, / linear preds: BB0, BB5, / kind: loop-header, branch, */
	(  5 clk)   exec = v_cmpx_nge_f32 v1, v3
BB2
/* logical preds: BB1, / linear preds: BB1, / kind: break, */
	(  1 clk)   s[8-9] = s_cbranch_scc0 block:BB6
BB3
/* logical preds: / linear preds: BB1, / kind: invert, */
	(  3 clk)   exec = s_mov_b64 s[6-7]
BB4
/* logical preds: BB1, / linear preds: BB3, / kind: uniform, */
BB5
/* logical preds: BB4, / linear preds: BB4, / kind: uniform, continue, merge, */
	(  2 clk)   v1 = v_add_f32 1.0, v1
	(  9 clk)   v2 = v_rcp_f32 v1
	(  1 clk)   s[6-7] = s_branch block:BB1
BB6
/* logical preds: BB2, / linear preds: BB2, / kind: top-level, loop-exit, */
	(  6 clk)   exp v0, v1,  v1: undef,  v1: undef en:rg** mrt0

num_waves: 16
latency: 100.000000
"""
